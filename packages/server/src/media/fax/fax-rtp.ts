import { randomBytes } from 'node:crypto'
import { G711 } from '../codec/g711.ts'
import { isRtcp, parseRtp, rtpHeaderBytes, RtpPacket, writeRtpHeader } from '../rtp/rtp.ts'
import type { FaxAudioSettings } from './engine.ts'
import { RtpTimeline, type Ear } from './rtp-timeline.ts'

/** 20 ms at 8 kHz. */
export const frameSamples = 160
/** 60 ms: no sender packs more into a packet. */
const maxPayloadBytes = 480
const defaultPayloadTypes = { PCMA: 8, PCMU: 0 } as const

/** What sends and receives tones. */
export interface Modem extends Ear {
  speak(samples: Int16Array): void
}

/** RTP for modems: no concealment, no levels changed, and silence is sent too. */
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

  /** False for what is not audio as agreed. */
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
