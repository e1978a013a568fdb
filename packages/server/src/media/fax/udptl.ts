/** One packet of T.38 annex D: a message, and what helps when those before it were lost. */
export interface UdptlPacket {
  sequence: number
  primary: Uint8Array
  /** Redundancy: the messages before it, the latest first. Parity: XOR of messages, see UdptlOrder. */
  recovery: { kind: 'redundancy'; messages: Uint8Array[] } | { kind: 'parity'; span: number; codes: Uint8Array[] }
}

/** No sender repeats more; a packet that claims so is not to be believed. */
const maxEntries = 16
const isParity = 0x80

/** Undefined for what is not UDPTL. What is given points into `bytes`. */
export const parseUdptl = (bytes: Uint8Array): UdptlPacket | undefined => {
  const reader = new Reader(bytes)
  const sequence = reader.uint16()
  const primary = reader.field()
  const kind = reader.byte()
  const recovery = kind & isParity ? parityIn(reader) : { kind: 'redundancy' as const, messages: fieldsIn(reader) }
  return reader.failed || primary.length === 0 ? undefined : { sequence, primary, recovery }
}

const parityIn = (reader: Reader): UdptlPacket['recovery'] => {
  if (reader.byte() !== 1) reader.failed = true // a number of one octet
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

/** Beyond the end everything is 0, and `failed` says so. */
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

  /** As PER writes it: one octet, or two with the highest bit set. In pieces (both bits): nothing here is that long. */
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

/** Numbers what goes out, and repeats in each packet what went before it. */
export class UdptlWriter {
  readonly #redundancy: number
  readonly #maxDatagram: number
  #sequence = 0
  /** The latest first. */
  #sent: Uint8Array[] = []

  /** Nothing larger than `maxDatagram` is made as long as a message fits into it at all: it is repeated less often then. */
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
