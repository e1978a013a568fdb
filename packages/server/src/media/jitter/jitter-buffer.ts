import { framesPerSecond, type Codec } from '../codec/codec.ts'
import { Concealment } from './concealment.ts'
import { PacketOrder } from './packet-order.ts'
import { PlayoutDelay } from './playout-delay.ts'
import type { RtpPacket } from '../rtp/rtp.ts'

/** Content of a frame. `silence`: no packet was sent, or none came for longer than concealment makes sense. */
export type FrameKind = 'audio' | 'concealed' | 'silence'

/** Maximum length of an Opus packet; 60 ms of G.711 or G.722 are 480. */
const slotBytes = { PCMA: 480, PCMU: 480, G722: 480, opus: 1275 }
const maxPacketMs = 120
/** Media time this far from the time of arrival means that the sender restarted its timestamps. */
const jumpMs = 1000
/** Excess delay is removed in quiet moments, a larger one at any moment, and a very large one immediately. */
const quietSurplusMs = 40
const loudSurplusMs = 100
const absurdSurplusMs = 200
/** At this shortage waiting for a missing packet is worthwhile. */
const shortageMs = -10
const framesBetweenMerges = 5
/** RMS of a frame that can be dropped unnoticed. */
const quietLevel = 150
/** Codecs with their own concealment also fade out, but never end. */
const maxConcealmentMs = 100

/** Orders packets, delays them as the network requires, conceals gaps, and returns one frame of 20 ms per call. */
export class JitterBuffer {
  framesConcealed = 0
  readonly frameSamples: number
  readonly #codec: Codec
  readonly #order: PacketOrder
  readonly #delay = new PlayoutDelay()
  readonly #concealment: Concealment
  readonly #ticksPerMs: number
  readonly #ticksPerSample: number
  /** Decoded samples not yet returned, when packets are longer than frames. */
  readonly #decoded: Int16Array
  #decodedStart = 0
  #decodedEnd = 0
  readonly #second: Int16Array

  /** True until there is enough to start or restart. */
  #waiting = true
  /** Media time of the next sample to decode, in ticks of the RTP clock. */
  #position = 0
  /** The position was advanced by concealment, not by a packet. */
  #guessed = false
  /** Concealed samples without an advance, in case the packet still arrives. */
  #held = 0
  /** Concealed samples in a row. */
  #madeUp = 0
  #surplusMs = 0
  #sinceMerge = 0

  constructor(codec: Codec) {
    this.#codec = codec
    this.frameSamples = codec.sampleRate / framesPerSecond
    this.#order = new PacketOrder(slotBytes[codec.name])
    this.#concealment = new Concealment(codec.sampleRate)
    this.#ticksPerMs = codec.clockRate / 1000
    this.#ticksPerSample = codec.clockRate / codec.sampleRate
    this.#decoded = new Int16Array((maxPacketMs * codec.sampleRate) / 1000)
    this.#second = new Int16Array(this.frameSamples)
  }

  /** Current delay of packets, relative to the fastest one. */
  get targetDelayMs(): number {
    return this.#delay.targetMs
  }

  get packetsLate(): number {
    return this.#order.late
  }

  get packetsDuplicate(): number {
    return this.#order.duplicates
  }

  get packetsUnreadable(): number {
    return this.#order.unreadable
  }

  /** `nowMs`: time of arrival. */
  put(packet: RtpPacket, nowMs: number): void {
    const order = this.#order
    const state = order.check(packet)
    if (state === 'refused') return
    if (state === 'new' || Math.abs(this.#delay.lateness(order.timestampOf(packet) / this.#ticksPerMs, nowMs)) > jumpMs)
      this.#restart(packet)
    const timestamp = order.timestampOf(packet)
    this.#delay.observe(timestamp / this.#ticksPerMs, nowMs)
    if (!order.put(packet, timestamp, !this.#waiting)) this.#waiting = true
  }

  /** Comfort noise and DTMF use sequence numbers too: without this they would count as lost. */
  skip(packet: RtpPacket): void {
    this.#order.skip(packet)
  }

  /** Fills one frame and returns its kind. `nowMs`: time at which the frame is due. */
  take(into: Int16Array, nowMs: number): FrameKind {
    if (!this.#waiting) this.#measureSurplus(nowMs)
    if (this.#waiting && !this.#canStart(nowMs)) return this.#rest(into)
    const kind = this.#assemble(into)
    this.#sinceMerge++
    if (this.#surplusMs >= quietSurplusMs && kind === 'audio' && this.#sinceMerge >= framesBetweenMerges) this.#shorten(into)
    return kind
  }

  #restart(packet: RtpPacket): void {
    if (packet.ssrc !== this.#order.ssrc) this.#concealment.reset()
    this.#waiting = true
    this.#order.restart(packet)
    this.#delay.reset()
  }

  #lateness(timestamp: number, nowMs: number): number {
    return this.#delay.lateness(timestamp / this.#ticksPerMs, nowMs) - this.#delay.targetMs
  }

  #measureSurplus(nowMs: number): void {
    const undecoded = this.#position - (this.#decodedEnd - this.#decodedStart) * this.#ticksPerSample
    this.#surplusMs = this.#lateness(undecoded, nowMs)
    if (this.#surplusMs > absurdSurplusMs) this.#waiting = true
  }

  /** Starts with the oldest packet that has waited long enough, but not much too long. */
  #canStart(nowMs: number): boolean {
    let first = this.#order.findAudio()
    while (first >= 0 && first < this.#order.highest && this.#lateness(this.#order.ring.timestamp(first), nowMs) > quietSurplusMs) {
      this.#order.ring.take(first)
      this.#order.late++
      first = this.#order.findAudio()
    }
    if (first < 0) return false
    const timestamp = this.#order.ring.timestamp(first)
    const surplus = this.#lateness(timestamp, nowMs)
    if (surplus < 0) return false
    this.#waiting = false
    this.#surplusMs = surplus
    this.#order.next = first
    this.#position = timestamp
    this.#guessed = false
    this.#decodedStart = this.#decodedEnd = 0
    return true
  }

  #assemble(into: Int16Array): FrameKind {
    let filled = this.#giveDecoded(into, 0)
    let audio = filled
    let concealed = 0
    while (filled < into.length) {
      const sequence = this.#order.findAudio()
      const missing = sequence < 0 ? 0 : Math.round((this.#order.ring.timestamp(sequence) - this.#position) / this.#ticksPerSample)
      let count: number
      if (sequence >= 0 && missing <= 0) {
        count = this.#decode(sequence, into, filled, this.#guessed ? -missing : 0)
        audio += count
      } else if (sequence >= 0 && sequence === this.#order.next) {
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

  /** `passed`: samples of this packet that are already concealed. */
  #decode(sequence: number, into: Int16Array, at: number, passed: number): number {
    const { bytes } = this.#order.ring
    const start = this.#order.ring.start(sequence)
    const end = start + this.#order.ring.size(sequence)
    const samples = this.#codec.samples(bytes, start, end)
    this.#order.ring.take(sequence)
    this.#order.next = sequence + 1
    if (samples <= passed) {
      if (passed > 0) this.#order.late++
      else this.#order.unreadable++
      return 0
    }
    const direct = passed === 0 && samples <= into.length - at
    const target = direct ? into : this.#decoded
    const from = direct ? at : 0
    const count = this.#codec.decode(bytes, start, end, target, from)
    this.#concealment.heard(target, from + Math.min(passed, count), from + count)
    this.#position = this.#order.ring.timestamp(sequence) + samples * this.#ticksPerSample
    this.#guessed = false
    this.#held = this.#madeUp = 0
    if (direct) return count
    this.#decodedStart = Math.min(passed, count)
    this.#decodedEnd = count
    return this.#giveDecoded(into, at)
  }

  /** No packet was lost, the sender paused: a good moment to change the delay. */
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

  /** The packet after a single lost one may contain it (FEC). */
  #recover(sequence: number, missing: number): boolean {
    const codec = this.#codec
    if (!codec.recover || this.#held > 0 || sequence !== this.#order.next + 1) return false
    const start = this.#order.ring.start(sequence)
    const end = start + this.#order.ring.size(sequence)
    if (codec.samples(this.#order.ring.bytes, start, end) !== missing) return false
    const count = codec.recover(this.#order.ring.bytes, start, end, this.#decoded, 0)
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
      audible = this.#madeUp * this.#ticksPerSample <= maxConcealmentMs * this.#ticksPerMs
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

  /** Plays two frames in the time of one, with a cross-fade. */
  #shorten(into: Int16Array): void {
    const enough = this.#decodedEnd > this.#decodedStart || this.#order.ring.has(this.#order.next)
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
