import { parseUdptl, type UdptlPacket } from './udptl.ts'

export interface UdptlFigures {
  received: number
  /** Lost, but other packets had what was in them. */
  recovered: number
  lost: number
  /** Twice, or after others that came later. */
  late: number
  /** Not UDPTL, or from the middle of nowhere. */
  refused: number
}

/** A larger step is no loss: what does not belong here, or a sender that counts anew. */
const maxStep = 200
/** As far back as parity can reach. */
const remembered = 64

/** Hands out messages in the order in which they were sent, each once, with those that other packets make good. */
export class UdptlOrder {
  readonly figures: UdptlFigures = { received: 0, recovered: 0, lost: 0, late: 0, refused: 0 }
  readonly #deliver: (message: Uint8Array, sequence: number) => void
  #next: number | undefined
  /** Of a sender that may count anew: its next one proves it. */
  #suspect = -1
  /** For parity, by sequence. */
  readonly #known = new Map<number, Uint8Array>()

  constructor(deliver: (message: Uint8Array, sequence: number) => void) {
    this.#deliver = deliver
  }

  /** False: not UDPTL. */
  receive(bytes: Uint8Array): boolean {
    const packet = parseUdptl(bytes)
    if (!packet) {
      this.figures.refused++
      return false
    }
    this.figures.received++
    const { sequence } = packet
    this.#next ??= sequence - Math.min(sequence, reachOf(packet))
    const step = signed(sequence - this.#next)
    if (Math.abs(step) > maxStep) this.#suspicion(packet)
    else if (step < 0) this.figures.late++
    else this.#take(packet, step)
    return true
  }

  #suspicion(packet: UdptlPacket): void {
    const again = packet.sequence === this.#suspect
    this.#suspect = (packet.sequence + 1) & 0xffff
    if (!again) return void this.figures.refused++
    this.#known.clear()
    this.#take(packet, 0)
  }

  #take(packet: UdptlPacket, missing: number): void {
    this.#suspect = -1
    for (let back = missing; back > 0; back--) {
      const sequence = (packet.sequence - back) & 0xffff
      const message = this.#recover(packet, back)
      if (message) this.figures.recovered++
      else this.figures.lost++
      if (message) this.#hand(message, sequence)
    }
    this.#hand(packet.primary, packet.sequence)
    this.#next = (packet.sequence + 1) & 0xffff
  }

  #recover({ recovery, sequence }: UdptlPacket, back: number): Uint8Array | undefined {
    if (recovery.kind === 'redundancy') return nonEmpty(recovery.messages[back - 1])
    const { codes, span } = recovery
    // The code of index m is the XOR of every n-th message before (n codes), the nearest of which is sequence - n + m.
    const index = codes.findIndex((_, m) => (codes.length - m - back) % codes.length === 0)
    const code = codes[index]
    if (!code || back > span * codes.length) return undefined
    return this.#unmix(code, sequence - codes.length + index, span, codes.length, (sequence - back) & 0xffff)
  }

  /** What is missing is what remains when all others are taken out. */
  #unmix(code: Uint8Array, nearest: number, span: number, stride: number, wanted: number): Uint8Array | undefined {
    const mixed = Uint8Array.from(code)
    for (let i = 0; i < span; i++) {
      const sequence = (nearest - i * stride) & 0xffff
      if (sequence === wanted) continue
      const other = this.#known.get(sequence)
      if (!other) return undefined
      for (let at = 0; at < Math.min(mixed.length, other.length); at++) mixed[at] = (mixed[at] ?? 0) ^ (other[at] ?? 0)
    }
    return mixed
  }

  #hand(message: Uint8Array, sequence: number): void {
    this.#known.set(sequence, Uint8Array.from(message))
    const [oldest = sequence] = this.#known.keys()
    if (this.#known.size > remembered) this.#known.delete(oldest)
    this.#deliver(message, sequence)
  }
}

const signed = (difference: number): number => (difference << 16) >> 16
const nonEmpty = (message: Uint8Array | undefined): Uint8Array | undefined => (message && message.length > 0 ? message : undefined)

/** The first packet may tell of those before it. */
const reachOf = ({ recovery }: UdptlPacket): number => (recovery.kind === 'redundancy' ? recovery.messages.length : 0)
