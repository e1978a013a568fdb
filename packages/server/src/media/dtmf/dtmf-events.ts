/** RFC 4733 §3.2: events 0 to 15. */
const dtmfDigits = '0123456789*#ABCD'

export const isDtmf = (digits: string): boolean => /^[0-9*#A-D]+$/i.test(digits)

const volumeDbm0 = 10
const endPackets = 3
const maxDurationTicks = 0xffff
/** Ticks. A packet further back is not late: the sender restarted its timestamps. */
const maxReorderTicks = 100_000

interface DtmfTiming {
  toneMs: number
  gapMs: number
}

/** Within the limits of Q.24 for receivers, with a margin for packet loss. */
export const defaultTiming: DtmfTiming = { toneMs: 120, gapMs: 80 }

/**
 * Sends keys as named events. Call it once per packet time; when it returns true, send `payload` with `timestamp` and `marker` instead of
 * audio. The last packet of a key is sent three times, the repetitions in the gap after it.
 */
export class DtmfSender {
  readonly payload = new Uint8Array(4)
  timestamp = 0
  marker = false
  readonly #ticksPerPacket: number
  readonly #toneTicks: number
  readonly #gapTicks: number
  #digits = ''
  #duration = 0
  #endsSent = 0
  #gapDone = 0

  constructor(clockRate: number, packetMs: number, timing: DtmfTiming = defaultTiming) {
    this.#ticksPerPacket = (clockRate * packetMs) / 1000
    this.#toneTicks = Math.min(maxDurationTicks, (clockRate * timing.toneMs) / 1000)
    this.#gapTicks = (clockRate * timing.gapMs) / 1000
  }

  /** True from the first key to the end of the gap after the last one. */
  get busy(): boolean {
    return this.#digits !== ''
  }

  add(digits: string): void {
    if (!isDtmf(digits)) throw new RangeError('digits must be 0-9, *, # or A-D')
    this.#digits += digits.toUpperCase()
  }

  /** `timestamp`: that of an audio packet at this time. */
  next(timestamp: number): boolean {
    if (this.#digits === '') return false
    if (this.#endsSent > 0) this.#gapDone += this.#ticksPerPacket
    if (this.#endsSent === endPackets) {
      if (this.#gapDone >= this.#gapTicks) this.#nextDigit()
      return false
    }
    this.marker = this.#duration === 0
    if (this.marker) this.timestamp = timestamp >>> 0
    if (this.#endsSent === 0) this.#duration = Math.min(this.#toneTicks, this.#duration + this.#ticksPerPacket)
    const ended = this.#duration >= this.#toneTicks
    if (ended) this.#endsSent++
    this.#write(ended)
    return true
  }

  #nextDigit(): void {
    this.#digits = this.#digits.slice(1)
    this.#duration = this.#endsSent = this.#gapDone = 0
  }

  #write(ended: boolean): void {
    this.payload[0] = dtmfDigits.indexOf(this.#digits.charAt(0))
    this.payload[1] = (ended ? 0x80 : 0) | volumeDbm0
    this.payload[2] = this.#duration >> 8
    this.payload[3] = this.#duration
  }
}

/** Detects every key once, whichever of its packets arrive. */
export class DtmfReceiver {
  #known = false
  #ssrc = 0
  #timestamp = 0
  #event = -1
  #duration = 0
  #ended = false

  /** The key that begins with this packet; '' if it belongs to a known key or is not a key. */
  receive(bytes: Uint8Array, start: number, end: number, timestamp: number, ssrc: number): string {
    if (end - start < 4) return ''
    const event = bytes[start]!
    if (event >= dtmfDigits.length) return ''
    const duration = (bytes[start + 2]! << 8) | bytes[start + 3]!
    const ended = bytes[start + 1]! > 127
    const fresh = this.#isFresh(event, timestamp, ssrc)
    if (fresh === 'old') return ''
    this.#known = true
    this.#ssrc = ssrc
    this.#timestamp = timestamp
    this.#event = event
    this.#duration = duration
    this.#ended = ended
    return fresh === 'new' ? dtmfDigits.charAt(event) : ''
  }

  #isFresh(event: number, timestamp: number, ssrc: number): 'new' | 'same' | 'old' {
    if (!this.#known || ssrc !== this.#ssrc) return 'new'
    const passed = (timestamp - this.#timestamp) | 0
    if (passed === 0) return event === this.#event ? 'same' : 'old'
    if (passed < 0 && passed > -maxReorderTicks) return 'old'
    return this.#continues(event, passed) ? 'same' : 'new'
  }

  /** A key held longer than the duration field allows continues under a new timestamp (RFC 4733 §2.5.1.3). */
  #continues(event: number, passed: number): boolean {
    const longHeld = this.#duration > maxDurationTicks - 4800
    return event === this.#event && !this.#ended && longHeld && passed <= maxDurationTicks
  }
}
