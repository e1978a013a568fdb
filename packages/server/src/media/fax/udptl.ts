/** One packet of T.38 annex D: a message, and recovery data for lost ones. */
interface UdptlPacket {
  sequence: number
  primary: Uint8Array
  /** Redundancy: earlier messages, the latest first. Parity: XOR of messages, see UdptlOrder. */
  recovery: { kind: 'redundancy'; messages: Uint8Array[] } | { kind: 'parity'; span: number; codes: Uint8Array[] }
}

/** No sender repeats more; a packet that claims more is rejected. */
const maxEntries = 16
const isParity = 0x80

/** Undefined if it is not UDPTL. The result points into `bytes`. */
export const parseUdptl = (bytes: Uint8Array): UdptlPacket | undefined => {
  const reader = new Reader(bytes)
  const sequence = reader.uint16()
  const primary = reader.field()
  const kind = reader.byte()
  const recovery = kind & isParity ? parityIn(reader) : { kind: 'redundancy' as const, messages: fieldsIn(reader) }
  return reader.failed || primary.length === 0 ? undefined : { sequence, primary, recovery }
}

const parityIn = (reader: Reader): UdptlPacket['recovery'] => {
  if (reader.byte() !== 1) reader.failed = true // a one-octet number
  const span = reader.byte()
  return { kind: 'parity', span, codes: fieldsIn(reader) }
}

const fieldsIn = (reader: Reader): Uint8Array[] => {
  const count = reader.length()
  if (count > maxEntries) reader.failed = true
  const fields: Uint8Array[] = []
  while (fields.length < count && !reader.failed) fields.push(reader.field())
  return fields
}

/** Reads 0 beyond the end and sets `failed`. */
class Reader {
  failed = false
  #at = 0
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  byte(): number {
    const byte = this.#bytes[this.#at++]
    if (byte === undefined) this.failed = true
    return byte ?? 0
  }

  uint16(): number {
    return (this.byte() << 8) | this.byte()
  }

  /** PER length: one octet, or two with the highest bit set. Fragmented (both bits): no message here is that long. */
  length(): number {
    const first = this.byte()
    if (first < 0x80) return first
    if (first >= 0xc0) this.failed = true
    return ((first & 0x3f) << 8) | this.byte()
  }

  field(): Uint8Array {
    const length = this.length()
    const from = this.#at
    this.#at += length
    if (this.#at > this.#bytes.length) this.failed = true
    return this.#bytes.subarray(from, this.#at)
  }
}

const lengthBytes = (length: number): number[] => (length < 0x80 ? [length] : [0x80 | (length >> 8), length & 255])

/** Numbers outgoing messages, and repeats earlier ones in each packet. */
export class UdptlWriter {
  readonly #redundancy: number
  readonly #maxDatagram: number
  #sequence = 0
  /** The latest first. */
  #sent: Uint8Array[] = []

  /** Keeps packets within `maxDatagram` if the message fits at all, by repeating fewer messages. */
  constructor(redundancy: number, maxDatagram = Infinity) {
    this.#redundancy = redundancy
    this.#maxDatagram = maxDatagram
  }

  write(message: Uint8Array): Uint8Array {
    const repeated = this.#repeatable(message)
    const head = [this.#sequence >> 8, this.#sequence & 255, ...lengthBytes(message.length)]
    const tail = repeated.flatMap((one) => [Buffer.from(lengthBytes(one.length)), one])
    this.#sequence = (this.#sequence + 1) & 0xffff
    this.#sent = [message, ...this.#sent.slice(0, this.#redundancy - 1)].slice(0, this.#redundancy)
    return Buffer.concat([Buffer.from(head), message, Buffer.from([0, repeated.length]), ...tail])
  }

  #repeatable(message: Uint8Array): Uint8Array[] {
    let room = this.#maxDatagram - (2 + lengthBytes(message.length).length + message.length + 2)
    const end = this.#sent.findIndex((one) => (room -= lengthBytes(one.length).length + one.length) < 0)
    return end < 0 ? this.#sent : this.#sent.slice(0, end)
  }
}

interface UdptlFigures {
  received: number
  /** Lost, but recovered from other packets. */
  recovered: number
  lost: number
  /** Duplicates, or packets behind later ones. */
  late: number
  /** Not UDPTL, or with an implausible sequence number. */
  refused: number
}

/** A larger step is not a loss: an unrelated packet, or a sender that restarted its sequence. */
const maxStep = 200
/** The reach of parity. */
const remembered = 64

/** Delivers messages in sending order, each once, including those recovered from other packets. */
export class UdptlOrder {
  readonly figures: UdptlFigures = { received: 0, recovered: 0, lost: 0, late: 0, refused: 0 }
  readonly #deliver: (message: Uint8Array, sequence: number) => void
  #next: number | undefined
  /** Sequence number of a sender that may have restarted: its next packet confirms it. */
  #suspect = -1
  /** Messages for parity, by sequence number. */
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

  /** XORs all other messages out of the code; the rest is the missing one. */
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

/** The first packet may contain messages from before it. */
const reachOf = ({ recovery }: UdptlPacket): number => (recovery.kind === 'redundancy' ? recovery.messages.length : 0)
