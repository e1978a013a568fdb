import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { Clock } from '#core/kernel/ports/platform.ts'

const cipher = 'aes-256-gcm'
const version = 1
const nonceAt = 5
const nonceBytes = 12
const bodyAt = nonceAt + nonceBytes
const tagBytes = 16
const minuteMs = 60_000
/** Maximum lifetime of a seal: the minute in which it was made, the one before and the one after. */
export const sealGoodMs = 3 * minuteMs

/** Reason for rejecting a message. */
export type SealRejection = 'wrong seal' | 'too old' | 'replayed'

export class SealError extends Error {
  readonly why: SealRejection

  constructor(why: SealRejection) {
    super(why)
    this.why = why
  }
}

export interface Sealed {
  bytes: Buffer
  /** Unique per message: replies refer to it. */
  nonce: string
}

/**
 * Encrypts and authenticates bus messages against anyone with access to the server. A message is valid for its subject and its minute: the
 * minutes before and after are accepted, because the clocks of machines differ slightly. Wire: version (1), minute (4), nonce (12),
 * AES-256-GCM, tag (16).
 */
export class Seal {
  readonly #key: Uint8Array
  readonly #clock: Clock
  /** One key per minute: random nonces must not be used indefinitely with one key. */
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

  /** Throws `SealError`. */
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

/** A few thousand messages a second for the lifetime of a seal; beyond it the oldest are dropped. */
const maxRemembered = 250_000

/**
 * Remembers received messages, so that none is accepted twice while its seal is valid. Only messages with a right seal are checked, so an
 * attacker on the bus cannot fill the memory.
 */
export class SeenNonces {
  readonly #clock: Clock
  readonly #goodMs: number
  readonly #max: number
  /** Time of arrival, oldest first. */
  readonly #seen = new Map<string, number>()

  /** `goodMs`: maximum lifetime of a seal. */
  constructor(clock: Clock, goodMs: number, max = maxRemembered) {
    this.#clock = clock
    this.#goodMs = goodMs
    this.#max = max
  }

  get size(): number {
    return this.#seen.size
  }

  /** False when it was seen before. */
  isNew(nonce: string): boolean {
    if (this.#seen.has(nonce)) return false
    const now = this.#clock.elapsed()
    this.#forget(now)
    this.#seen.set(nonce, now)
    return true
  }

  #forget(now: number): void {
    for (const [nonce, at] of this.#seen) {
      if (now - at <= this.#goodMs && this.#seen.size < this.#max) return
      this.#seen.delete(nonce)
    }
  }
}
