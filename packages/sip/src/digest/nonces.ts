import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const timeBytes = 6
const randomLength = 10
const macBytes = 16
const stampLength = timeBytes + randomLength
/** By how much the clock of another node may be ahead of ours. */
const clockSkewMs = 5_000

export interface NonceOptions {
  /** The key that proves a nonce. Nodes that share it accept each other's nonces. */
  key: Uint8Array
  now: () => number
  lifetimeMs: number
  /** How many nonces in use are remembered. */
  most: number
}

/** The counts of one nonce that were used: the highest, and which of the 31 below it. */
interface Use {
  highest: number
  window: number
  issuedAt: number
}

/**
 * Nonces that carry their own proof: nothing is kept for one that is only handed out, and no stranger can fill the memory.
 * Each may be used once with each count (nc). The table of those in use is bounded; when it is full the oldest is forgotten
 * and nothing as old as that is accepted any more.
 */
export class Nonces {
  readonly #options: NonceOptions
  readonly #uses = new Map<string, Use>()
  #forgottenUntil = -1

  constructor(options: NonceOptions) {
    this.#options = options
  }

  /** `source`: the address that the challenge went to; from any other the nonce is not valid. */
  issue(source: string): string {
    const nonce = Buffer.allocUnsafe(stampLength + macBytes)
    nonce.writeUIntBE(this.#options.now(), 0, timeBytes)
    randomBytes(randomLength).copy(nonce, timeBytes)
    this.#mac(nonce.subarray(0, stampLength), source).copy(nonce, stampLength)
    return nonce.toString('base64url')
  }

  /** Whether it is ours and young enough. */
  isFresh(nonce: string, source: string): boolean {
    return this.#freshSince(nonce, source) !== undefined
  }

  /** Whether it is ours, young enough, and was not used with this count before. Asking uses it up. */
  use(nonce: string, source: string, count: number): boolean {
    const issuedAt = this.#freshSince(nonce, source)
    if (issuedAt === undefined || count < 1) return false
    const use = this.#uses.get(nonce)
    if (use !== undefined) return advance(use, count)
    if (issuedAt <= this.#forgottenUntil) return false
    this.#remember(nonce, { highest: count, window: 1, issuedAt })
    return true
  }

  #freshSince(nonce: string, source: string): number | undefined {
    const issuedAt = this.#issuedAt(nonce, source)
    if (issuedAt === undefined) return undefined
    const age = this.#options.now() - issuedAt
    return age >= -clockSkewMs && age <= this.#options.lifetimeMs ? issuedAt : undefined
  }

  #issuedAt(nonce: string, source: string): number | undefined {
    const bytes = Buffer.from(nonce, 'base64url')
    if (bytes.length !== stampLength + macBytes) return undefined
    if (!timingSafeEqual(bytes.subarray(stampLength), this.#mac(bytes.subarray(0, stampLength), source))) return undefined
    return bytes.readUIntBE(0, timeBytes)
  }

  #mac(stamp: Uint8Array, source: string): Buffer {
    return createHmac('sha256', this.#options.key).update(stamp).update(source).digest().subarray(0, macBytes)
  }

  #remember(nonce: string, use: Use): void {
    const now = this.#options.now()
    for (const [old, { issuedAt }] of this.#uses) {
      const expired = now - issuedAt > this.#options.lifetimeMs
      if (!expired && this.#uses.size < this.#options.most) break
      if (!expired) this.#forgottenUntil = Math.max(this.#forgottenUntil, issuedAt)
      this.#uses.delete(old)
    }
    this.#uses.set(nonce, use)
  }
}

/** Requests may overtake each other a little, as UDP packets do. */
const advance = (use: Use, count: number): boolean => {
  const ahead = count - use.highest
  if (ahead > 0) {
    use.window = ahead > 31 ? 1 : ((use.window << ahead) | 1) >>> 0
    use.highest = count
    return true
  }
  const bit = ahead < -31 ? 0 : (1 << -ahead) >>> 0
  if (bit === 0 || (use.window & bit) !== 0) return false
  use.window = (use.window | bit) >>> 0
  return true
}
