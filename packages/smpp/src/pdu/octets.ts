import { SmppError } from './smpp-error.ts'
import { status } from './status.ts'

/** Reads the fields of one PDU, never beyond its end. */
export class OctetReader {
  readonly #pdu: Buffer
  #at: number

  constructor(pdu: Buffer, from: number) {
    this.#pdu = pdu
    this.#at = from
  }

  get left(): number {
    return this.#pdu.length - this.#at
  }

  octet(): number {
    if (this.left < 1) throw new SmppError(status.invalidCommandLength, 'The command ends too early')
    return this.#pdu[this.#at++]!
  }

  word(): number {
    return (this.octet() << 8) | this.octet()
  }

  bytes(length: number, wrong: number): Buffer {
    if (this.left < length) throw new SmppError(wrong, 'The command ends too early')
    this.#at += length
    return this.#pdu.subarray(this.#at - length, this.#at)
  }

  /** A zero-terminated string; `maxLength` excludes the zero. `wrong`: the status if it is longer. */
  text(maxLength: number, wrong: number): string {
    const from = this.#at
    const end = this.#pdu.indexOf(0, from)
    if (end < 0 || end - from > maxLength) throw new SmppError(wrong, `A string has no end within ${maxLength} octets`)
    this.#at = end + 1
    return end === from ? '' : this.#pdu.toString('latin1', from, end)
  }

  /** The same for peers that omit the zero: up to the zero or the end. */
  lenientText(): string {
    const from = this.#at
    const zero = this.#pdu.indexOf(0, from)
    const end = zero < 0 ? this.#pdu.length : zero
    this.#at = zero < 0 ? end : end + 1
    return this.#pdu.toString('latin1', from, end)
  }
}

/** Writes one PDU of a sufficient, known size. */
export class OctetWriter {
  readonly #pdu: Buffer
  #at = 0

  constructor(size: number) {
    this.#pdu = Buffer.allocUnsafe(size)
  }

  octet(value: number): void {
    this.#pdu[this.#at++] = value
  }

  word(value: number): void {
    this.octet(value >>> 8)
    this.octet(value)
  }

  long(value: number): void {
    this.#at = this.#pdu.writeUInt32BE(value, this.#at)
  }

  bytes(value: Uint8Array): void {
    this.#pdu.set(value, this.#at)
    this.#at += value.length
  }

  /** `wrong`: the status that names the field. Rejects a zero inside, which would shift all later fields. */
  text(value: string, maxLength: number, wrong: number): void {
    if (value.length > maxLength) throw new SmppError(wrong, `A string is longer than ${maxLength} octets`)
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i)
      if (code === 0 || code > 0xff) throw new SmppError(wrong, 'A string has characters that cannot be sent')
      this.octet(code)
    }
    this.octet(0)
  }

  /** Fills in the length. */
  finish(): Buffer {
    this.#pdu.writeUInt32BE(this.#at, 0)
    return this.#pdu.subarray(0, this.#at)
  }
}

/**
 * Maximum lengths of the strings (SMPP 3.4 §4, without the closing zero) and the status for each. Names and passwords may be longer than
 * specified, because carriers issue such ones.
 */
export const fields = {
  systemId: [64, status.invalidSystemId],
  password: [64, status.invalidPassword],
  systemType: [32, status.invalidSystemType],
  addressRange: [40, status.bindFailed],
  serviceType: [5, status.invalidServiceType],
  source: [20, status.invalidSource],
  destination: [20, status.invalidDestination],
  /** data_sm allows longer addresses; received ones may always be longer. */
  longSource: [64, status.invalidSource],
  longDestination: [64, status.invalidDestination],
  scheduleTime: [16, status.invalidSchedule],
  validityPeriod: [16, status.invalidValidity],
  messageId: [64, status.invalidMessageId],
} as const satisfies Record<string, readonly [longest: number, wrong: number]>

/** Limits per PDU. Larger ones are rejected before they are parsed. */
export const limits = {
  /** A PDU with its header; a message_payload of a hundred parts fits. */
  pduBytes: 16 * 1024,
  /** The same for an unbound far end. */
  unboundBytes: 1024,
  headerBytes: 16,
  /** Octets of short_message. */
  shortMessage: 254,
} as const
