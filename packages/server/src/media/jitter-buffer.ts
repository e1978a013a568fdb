import { framesPerSecond, type Codec } from './codec.ts'
import { Concealment } from './concealment.ts'
import { PacketRing, ringSlots } from './packet-ring.ts'
import { PlayoutDelay } from './playout-delay.ts'
import type { RtpPacket } from './rtp.ts'

/** What a frame is made of. `silence`: nothing was sent, or nothing came for so long that making something up would be a lie. */
export type FrameKind = 'audio' | 'concealed' | 'silence'

/** Opus packets are never longer; 60 ms of G.711 or G.722 are 480. */
const slotBytes = { PCMA: 480, PCMU: 480, G722: 480, opus: 1275 }
const longestPacketMs = 120
/** Media time that is so far from the time of arrival belongs to another count. */
const jumpMs = 1000
/** A larger step of the sequence is a restart, if the next packet agrees (RFC 3550 A.1). */
const largestStep = 100
/** More delay than needed is taken out in quiet moments, much more of it at any moment, and very much of it at once. */
const quietSurplusMs = 40
const loudSurplusMs = 100
const absurdSurplusMs = 200
/** So much less than needed is worth waiting for a packet that is not there. */
const shortageMs = -10
const framesBetweenMerges = 5
/** Root mean square of a frame that nobody misses. */
const quietLevel = 150
/** Codecs that conceal by themselves fade out as well, but never end. */
const longestConcealmentMs = 100

/** Puts packets in order, waits as long as the network needs, fills holes; gives one frame of 20 ms whenever it is asked. */
export class JitterBuffer {
  packetsLate = 0
  packetsDuplicate = 0
  packetsUnreadable = 0
  framesConcealed = 0
  readonly frameSamples: number
  readonly #codec: Codec
  readonly #ring: PacketRing
  readonly #delay = new PlayoutDelay()
  readonly #concealment: Concealment
  readonly #ticksPerMs: number
  readonly #ticksPerSample: number
  /** Decoded, but not given out yet, when packets are not as long as frames. */
  readonly #decoded: Int16Array
  #decodedStart = 0
  #decodedEnd = 0
  readonly #second: Int16Array

  #begun = false
  #waiting = true
  #ssrc = 0
  /** Sequence numbers count on beyond 65535, timestamps beyond 32 bits. */
  #next = 0
  #highest = 0
  #newest = 0
  #suspect = -1
  /** Media time, in ticks of the RTP clock, of the next sample to decode. */
  #position = 0
  /** The position was moved on by something made up, not by a packet. */
  #guessed = false
  /** Samples that were made up without moving on, in the hope that the packet still comes. */
  #held = 0
  /** Samples made up in a row. */
  #madeUp = 0
  #surplusMs = 0
  #sinceMerge = 0

  constructor(codec: Codec) {
    this.#codec = codec
    this.frameSamples = codec.sampleRate / framesPerSecond
    this.#ring = new PacketRing(slotBytes[codec.name])
    this.#concealment = new Concealment(codec.sampleRate)
    this.#ticksPerMs = codec.clockRate / 1000
    this.#ticksPerSample = codec.clockRate / codec.sampleRate
    this.#decoded = new Int16Array((longestPacketMs * codec.sampleRate) / 1000)
    this.#second = new Int16Array(this.frameSamples)
  }

  /** How long packets are kept at present, counted from the arrival of the fastest. */
  get targetDelayMs(): number {
    return this.#delay.targetMs
  }

  put(packet: RtpPacket, nowMs: number): void {
    if (!this.#ring.fits(packet.payloadEnd - packet.payloadStart) || !this.#inSequence(packet)) {
      this.packetsUnreadable++
      return
    }
    let timestamp = this.#newest + ((packet.timestamp - this.#newest) | 0)
    if (Math.abs(this.#delay.lateness(timestamp / this.#ticksPerMs, nowMs)) > jumpMs) {
      this.#restart(packet)
      timestamp = packet.timestamp
    }
    this.#delay.observe(timestamp / this.#ticksPerMs, nowMs)
    this.#store(packet, this.#extended(packet.sequence), timestamp)
  }

  /** Comfort noise and key presses use up sequence numbers too: without this they would look lost. */
  skip(packet: RtpPacket): void {
    if (!this.#begun || packet.ssrc !== this.#ssrc) return
    const sequence = this.#extended(packet.sequence)
    if (sequence < this.#next || sequence >= this.#next + ringSlots || this.#ring.knows(sequence)) return
    if (sequence > this.#highest) this.#highest = sequence
    this.#ring.put(sequence, 0, packet.bytes, 0, 0)
  }

  /** Fills `into`, one frame, and says what it is. */
  take(into: Int16Array, nowMs: number): FrameKind {
    if (!this.#waiting) this.#measureSurplus(nowMs)
    if (this.#waiting && !this.#canStart(nowMs)) return this.#rest(into)
    const kind = this.#assemble(into)
    this.#sinceMerge++
    if (this.#surplusMs >= quietSurplusMs && kind === 'audio' && this.#sinceMerge >= framesBetweenMerges) this.#shorten(into)
    return kind
  }

  #extended(sequence: number): number {
    return this.#highest + (((sequence - this.#highest) << 16) >> 16)
  }

  #inSequence(packet: RtpPacket): boolean {
    if (!this.#begun || packet.ssrc !== this.#ssrc || packet.sequence === this.#suspect) {
      this.#restart(packet)
      return true
    }
    const step = ((packet.sequence - this.#highest) << 16) >> 16
    const plausible = step <= largestStep && step >= -largestStep
    this.#suspect = plausible ? -1 : (packet.sequence + 1) & 0xffff
    return plausible
  }

  #restart(packet: RtpPacket): void {
    if (packet.ssrc !== this.#ssrc) this.#concealment.reset()
    this.#begun = true
    this.#waiting = true
    this.#ssrc = packet.ssrc
    this.#next = packet.sequence + 0x10000
    this.#highest = this.#next
    this.#newest = packet.timestamp
    this.#suspect = -1
    this.#ring.clear()
    this.#delay.reset()
  }

  #store(packet: RtpPacket, sequence: number, timestamp: number): void {
    if (this.#ring.knows(sequence)) {
      this.packetsDuplicate++
      return
    }
    if (this.#waiting && sequence < this.#next && sequence > this.#highest - ringSlots) this.#next = sequence
    if (sequence < this.#next) {
      this.packetsLate++
      return
    }
    if (sequence >= this.#next + ringSlots) {
      this.#next = sequence - ringSlots + 1
      this.#waiting = true
    }
    if (sequence > this.#highest) {
      this.#highest = sequence
      this.#newest = timestamp
    }
    this.#ring.put(sequence, timestamp, packet.bytes, packet.payloadStart, packet.payloadEnd)
  }

  #lateness(timestamp: number, nowMs: number): number {
    return this.#delay.lateness(timestamp / this.#ticksPerMs, nowMs) - this.#delay.targetMs
  }

  #measureSurplus(nowMs: number): void {
    const undecoded = this.#position - (this.#decodedEnd - this.#decodedStart) * this.#ticksPerSample
    this.#surplusMs = this.#lateness(undecoded, nowMs)
    if (this.#surplusMs > absurdSurplusMs) this.#waiting = true
  }

  /** Begins with the oldest packet that has waited long enough, but not much too long. */
  #canStart(nowMs: number): boolean {
    let first = this.#findAudio()
    while (first >= 0 && first < this.#highest && this.#lateness(this.#ring.timestamp(first), nowMs) > quietSurplusMs) {
      this.#ring.take(first)
      this.packetsLate++
      first = this.#findAudio()
    }
    if (first < 0) return false
    const timestamp = this.#ring.timestamp(first)
    const surplus = this.#lateness(timestamp, nowMs)
    if (surplus < 0) return false
    this.#waiting = false
    this.#surplusMs = surplus
    this.#next = first
    this.#position = timestamp
    this.#guessed = false
    this.#decodedStart = this.#decodedEnd = 0
    return true
  }

  /** The next packet with audio; -1 for none. Numbers without audio right before it are passed. */
  #findAudio(): number {
    const ring = this.#ring
    let first = ring.find(this.#next, this.#highest)
    while (first >= 0 && ring.size(first) === 0) {
      if (first === this.#next) this.#next++
      first = ring.find(first + 1, this.#highest)
    }
    return first
  }

  #assemble(into: Int16Array): FrameKind {
    let filled = this.#giveDecoded(into, 0)
    let audio = filled
    let concealed = 0
    while (filled < into.length) {
      const sequence = this.#findAudio()
      const missing = sequence < 0 ? 0 : Math.round((this.#ring.timestamp(sequence) - this.#position) / this.#ticksPerSample)
      let count: number
      if (sequence >= 0 && missing <= 0) {
        count = this.#decode(sequence, into, filled, this.#guessed ? -missing : 0)
        audio += count
      } else if (sequence >= 0 && sequence === this.#next) {
        count = this.#bridgeSilence(into, filled, missing)
      } else if (sequence >= 0 && this.#recover(sequence, missing)) {
        count = this.#giveDecoded(into, filled)
        audio += count
      } else {
        count = this.#bridgeLoss(sequence, into, filled, missing)
        concealed += this.#waiting ? 0 : count
      }
      filled += count
    }
    if (concealed > 0) this.framesConcealed++
    return concealed > 0 ? 'concealed' : audio > 0 ? 'audio' : 'silence'
  }

  #giveDecoded(into: Int16Array, at: number): number {
    const count = Math.min(into.length - at, this.#decodedEnd - this.#decodedStart)
    for (let i = 0; i < count; i++) into[at + i] = this.#decoded[this.#decodedStart + i]!
    this.#decodedStart += count
    return count
  }

  /** `passed`: samples of this packet for which something was made up already. */
  #decode(sequence: number, into: Int16Array, at: number, passed: number): number {
    const { bytes } = this.#ring
    const start = this.#ring.start(sequence)
    const end = start + this.#ring.size(sequence)
    const samples = this.#codec.samples(bytes, start, end)
    this.#ring.take(sequence)
    this.#next = sequence + 1
    if (samples <= passed) {
      if (passed > 0) this.packetsLate++
      else this.packetsUnreadable++
      return 0
    }
    const direct = passed === 0 && samples <= into.length - at
    const target = direct ? into : this.#decoded
    const from = direct ? at : 0
    const count = this.#codec.decode(bytes, start, end, target, from)
    this.#concealment.heard(target, from + Math.min(passed, count), from + count)
    this.#position = this.#ring.timestamp(sequence) + samples * this.#ticksPerSample
    this.#guessed = false
    this.#held = this.#madeUp = 0
    if (direct) return count
    this.#decodedStart = Math.min(passed, count)
    this.#decodedEnd = count
    return this.#giveDecoded(into, at)
  }

  /** Nothing was lost, the sender was quiet: a good moment to wait longer, or less long. */
  #bridgeSilence(into: Int16Array, at: number, missing: number): number {
    const count = Math.min(into.length - at, missing)
    into.fill(0, at, at + count)
    this.#concealment.heard(into, at, at + count)
    this.#madeUp = 0
    if (this.#surplusMs < shortageMs) return count
    const surplus = Math.max(0, Math.floor((this.#surplusMs * this.#ticksPerMs) / this.#ticksPerSample))
    this.#advance(Math.min(missing, count + surplus))
    this.#surplusMs = 0
    return count
  }

  #bridgeLoss(sequence: number, into: Int16Array, at: number, missing: number): number {
    const rest = into.length - at
    if (sequence < 0 || this.#surplusMs < shortageMs) {
      this.#held += rest
      this.#makeUp(into, at, into.length)
      return rest
    }
    const concealedBefore = Math.min(this.#held, missing)
    this.#held = 0
    this.#advance(concealedBefore)
    const count = Math.min(rest, missing - concealedBefore)
    if (count > 0) this.#makeUp(into, at, at + count)
    this.#advance(count)
    return count
  }

  #advance(samples: number): void {
    this.#position += samples * this.#ticksPerSample
    this.#guessed = true
  }

  /** The packet after a single lost one may repeat it. */
  #recover(sequence: number, missing: number): boolean {
    const codec = this.#codec
    if (!codec.recover || this.#held > 0 || sequence !== this.#next + 1) return false
    const start = this.#ring.start(sequence)
    const end = start + this.#ring.size(sequence)
    if (codec.samples(this.#ring.bytes, start, end) !== missing) return false
    const count = codec.recover(this.#ring.bytes, start, end, this.#decoded, 0)
    if (count !== missing) return false
    this.#decodedStart = 0
    this.#decodedEnd = count
    this.#advance(count)
    return true
  }

  #makeUp(into: Int16Array, from: number, to: number): void {
    this.#madeUp += to - from
    let audible: boolean
    if (this.#codec.conceal) {
      audible = this.#madeUp * this.#ticksPerSample <= longestConcealmentMs * this.#ticksPerMs
      if (audible) this.#codec.conceal(into, from, to)
      else into.fill(0, from, to)
    } else audible = this.#concealment.conceal(into, from, to)
    if (!audible) this.#waiting = true
  }

  #rest(into: Int16Array): FrameKind {
    into.fill(0)
    this.#held = this.#madeUp = 0
    return 'silence'
  }

  /** Plays two frames in the time of one, the first turning into the second. */
  #shorten(into: Int16Array): void {
    const enough = this.#decodedEnd > this.#decodedStart || this.#ring.has(this.#next)
    if (!enough || (this.#surplusMs < loudSurplusMs && !isQuiet(into))) return
    const second = this.#second
    this.#assemble(second)
    for (let i = 0; i < into.length; i++) into[i] = into[i]! + ((second[i]! - into[i]!) * i) / into.length
    this.#sinceMerge = 0
  }
}

const isQuiet = (pcm: Int16Array): boolean => {
  let energy = 0
  for (let i = 0; i < pcm.length; i++) energy += pcm[i]! * pcm[i]!
  return energy < quietLevel * quietLevel * pcm.length
}
