import { randomBytes } from 'node:crypto'
import { G711 } from '../codec/g711.ts'
import { isRtcp, parseRtp, rtpHeaderBytes, RtpPacket, writeRtpHeader } from '../rtp/rtp.ts'
import type { FaxAudioSettings } from './engine.ts'

/** 20 ms at 8 kHz. */
export const frameSamples = 160
/** 60 ms: the longest packet of any sender. */
const maxPayloadBytes = 480
const defaultPayloadTypes = { PCMA: 8, PCMU: 0 } as const

/** Sends and receives tones. */
export interface Modem extends Ear {
  speak(samples: Int16Array): void
}

/** RTP for modems: no concealment, no level changes, and silence is sent too. */
export class FaxRtp {
  readonly #send: (bytes: Uint8Array) => void
  readonly #timeline = new RtpTimeline()
  readonly #packet = new RtpPacket()
  readonly #frame = new Int16Array(frameSamples)
  readonly #decoded = new Int16Array(maxPayloadBytes)
  readonly #bytes = new Uint8Array(rtpHeaderBytes + frameSamples)
  readonly #ssrc = randomBytes(4).readUInt32BE()
  #sequence = randomBytes(2).readUInt16BE()
  #timestamp = randomBytes(4).readUInt32BE()
  #codec = new G711('PCMA')
  #payloadType = 8
  #marker = true

  constructor(send: (bytes: Uint8Array) => void) {
    this.#send = send
  }

  configure({ codec, payloadType = defaultPayloadTypes[codec] }: Pick<FaxAudioSettings, 'codec' | 'payloadType'>): void {
    if (codec !== this.#codec.name) this.#codec = new G711(codec)
    this.#payloadType = payloadType
  }

  /** False for packets other than the negotiated audio. */
  receive(bytes: Uint8Array): boolean {
    const packet = this.#packet
    if (isRtcp(bytes, bytes.length) || !parseRtp(bytes, bytes.length, packet) || packet.payloadType !== this.#payloadType) return false
    const { payloadStart, payloadEnd, timestamp, ssrc } = packet
    const count = this.#codec.decode(bytes, payloadStart, payloadEnd, this.#decoded, 0)
    if (count > 0) this.#timeline.put(timestamp, ssrc, this.#decoded.subarray(0, count))
    return true
  }

  /** 20 ms in both directions. */
  tick(modem: Modem): void {
    this.#timeline.take(frameSamples, modem)
    this.#frame.fill(0)
    modem.speak(this.#frame)
    writeRtpHeader(this.#bytes, this.#payloadType, this.#marker, this.#sequence, this.#timestamp, this.#ssrc)
    this.#codec.encode(this.#frame, this.#bytes, rtpHeaderBytes)
    this.#send(this.#bytes)
    this.#marker = false
    this.#sequence = (this.#sequence + 1) & 0xffff
    this.#timestamp = (this.#timestamp + frameSamples) >>> 0
  }
}

/** One second at 8 kHz, more than is ever buffered here; a power of two. */
const capacity = 8192
/**
 * Maximum lateness of packets: 200 ms. With more, our answers would come too late; with less, pauses of a busy machine would count as loss.
 */
const delay = 1600
/** Earliness of the first packet after a pause above which the following ones are expected to be as early. */
const tolerance = 800
/** A modem that bridges a gap assumes its carrier. Beyond this length (200 ms) there is none: silence. */
const maxGapLength = 1600
const silence = new Int16Array(capacity)

interface Ear {
  /** The memory is reused. */
  hear(samples: Int16Array): void
  hearNothing(count: number): void
}

/** Plays packets at their own time after a fixed delay. Gaps are not concealed: modems handle them better. */
export class RtpTimeline {
  readonly #samples = new Int16Array(capacity)
  readonly #there = new Uint8Array(capacity)
  #waiting = 0
  #started = false
  #ssrc = 0
  /** Timestamp of the next sample. */
  #next = 0
  /** Missing samples in a row. */
  #gap = maxGapLength

  put(timestamp: number, ssrc: number, samples: Int16Array): void {
    if (!this.#started || ssrc !== this.#ssrc) this.#anchor(timestamp, ssrc)
    let ahead = (timestamp - this.#next) | 0
    if (this.#isAstray(ahead, samples.length)) {
      this.#anchor(timestamp, ssrc)
      ahead = delay
    }
    for (const [index, sample] of samples.entries())
      if (ahead + index >= 0) this.#keep((this.#next + ahead + index) & (capacity - 1), sample)
  }

  /** All other samples are already played, and this packet has another time base: the far end paused, or we did. */
  #isAstray(ahead: number, length: number): boolean {
    if (ahead + length > capacity) return true
    return this.#waiting === 0 && (ahead < 0 || ahead > delay + tolerance)
  }

  take(count: number, ear: Ear): void {
    for (let done = 0; done < count;) {
      const at = this.#next & (capacity - 1)
      const isThere = this.#there[at]
      const max = Math.min(count - done, capacity - at)
      let run = 1
      while (run < max && this.#there[at + run] === isThere) run++
      if (isThere) ear.hear(this.#samples.subarray(at, at + run))
      else if (this.#gap < maxGapLength) ear.hearNothing(run)
      else ear.hear(silence.subarray(0, run))
      this.#gap = isThere ? 0 : this.#gap + run
      this.#there.fill(0, at, at + run)
      if (isThere) this.#waiting -= run
      this.#next = (this.#next + run) | 0
      done += run
    }
  }

  #anchor(timestamp: number, ssrc: number): void {
    this.#started = true
    this.#ssrc = ssrc
    this.#next = (timestamp - delay) | 0
    this.#there.fill(0)
    this.#waiting = 0
  }

  #keep(at: number, sample: number): void {
    this.#samples[at] = sample
    if (this.#there[at]) return
    this.#there[at] = 1
    this.#waiting++
  }
}
