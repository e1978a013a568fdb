import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '#core/kernel/ports/clock.ts'

const cipher = 'aes-256-gcm'
const version = 1
const nonceAt = 5
const nonceBytes = 12
const bodyAt = nonceAt + nonceBytes
const tagBytes = 16
const minuteMs = 60_000

/** Why something that was heard is not believed. */
export type SealRejection = 'wrong seal' | 'too old'

export class SealError extends Error {
  readonly why: SealRejection

  constructor(why: SealRejection) {
    super(why)
    this.why = why
  }
}

export interface Sealed {
  bytes: Buffer
  /** Unlike that of any other message: replies name it. */
  nonce: string
}

/**
 * Makes what is said on the bus unreadable and unforgeable for whoever gets at its server. A message is good for its subject and for the
 * minute in which it was said: those of the minutes before and after are believed, because clocks of machines differ a little.
 * Wire: version (1), minute (4), nonce (12), AES-256-GCM, tag (16).
 */
export class Seal {
  readonly #key: Uint8Array
  readonly #clock: Clock
  /** One for each minute: random nonces may not be used for ever with one key. */
  readonly #keys = new Map<number, Buffer>()

  constructor(key: Uint8Array, clock: Clock) {
    this.#key = key
    this.#clock = clock
  }

  close(text: string, about: string): Sealed {
    const head = Buffer.alloc(nonceAt)
    const minute = this.#minute()
    head.writeUInt8(version)
    head.writeUInt32BE(minute, 1)
    const nonce = randomBytes(nonceBytes)
    const sealing = createCipheriv(cipher, this.#keyOf(minute), nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(about))
    const bytes = Buffer.concat([head, nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()])
    return { bytes, nonce: nonce.toString('base64url') }
  }

  /** Throws `NotOurs`. */
  open(sealed: Uint8Array, about: string): { text: string; nonce: string } {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
    if (bytes.length < bodyAt + tagBytes || bytes[0] !== version) throw new SealError('wrong seal')
    const minute = bytes.readUInt32BE(1)
    if (Math.abs(minute - this.#minute()) > 1) throw new SealError('too old')
    const nonce = bytes.subarray(nonceAt, bodyAt)
    const opening = createDecipheriv(cipher, this.#keyOf(minute), nonce, { authTagLength: tagBytes })
    opening.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(-tagBytes))
    try {
      const text = opening.update(bytes.subarray(bodyAt, -tagBytes), undefined, 'utf8') + opening.final('utf8')
      return { text, nonce: nonce.toString('base64url') }
    } catch {
      throw new SealError('wrong seal')
    }
  }

  #minute(): number {
    return Math.floor(this.#clock.now() / minuteMs)
  }

  #keyOf(minute: number): Buffer {
    const known = this.#keys.get(minute)
    if (known) return known
    const key = createHmac('sha256', this.#key).update(`minute ${minute}`).digest()
    for (const old of this.#keys.keys()) if (Math.abs(old - minute) > 2) this.#keys.delete(old)
    this.#keys.set(minute, key)
    return key
  }
}
