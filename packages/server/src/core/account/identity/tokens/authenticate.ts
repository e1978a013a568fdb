import { usualTools } from '@offhook/contract/tools.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { ValidToken } from '#core/kernel/ports/store/identity/tokens.ts'
import type { LeashRules } from '#core/kernel/ports/store/identity/leashes.ts'
import type { HeldBy, KnownCaller } from '../caller/caller.ts'
import { hashSecret } from './tokens.ts'

interface Remembered {
  caller: KnownCaller
  until: number
}

/** How long a token may go unchecked: revoked elsewhere in a cluster, it dies within this time; revoked here, at once. */
const rememberMs = 1_000
/** How exactly people are told when a login was last used. */
const lastSeenIntervalMs = 5 * 60_000
const remembered = 10_000

/** Who stands behind an Authorization header. */
export class Authenticator {
  readonly #store: Store
  readonly #clock: Clock
  /** By the header itself: hashing it for every request would cost more than all the rest of the check. */
  readonly #known = new Map<string, Remembered>()
  #changes = 0

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Answers without waiting when the same header was checked a moment ago. */
  identify(authorization: string | undefined): KnownCaller | undefined | Promise<KnownCaller | undefined> {
    if (authorization === undefined) return undefined
    const known = this.#known.get(authorization)
    if (known && known.until > this.#clock.now()) return known.caller
    const hash = credentialHash(authorization)
    return hash === undefined ? undefined : this.#lookUp(authorization, hash)
  }

  /** To be called after tokens, users or accounts were changed here. */
  forget(): void {
    this.#changes++
    this.#known.clear()
  }

  async #lookUp(authorization: string, hash: string): Promise<KnownCaller | undefined> {
    const now = this.#clock.now()
    const changes = this.#changes
    const token = await this.#store.read.tokens.findValid(hash, now)
    if (!token || token.kind === 'refresh') return undefined
    await this.#noteSeen(token, now)
    const caller = toCaller(token)
    if (changes !== this.#changes) return caller // what was read may be gone by now: not to be remembered
    if (this.#known.size >= remembered) this.#known.clear()
    this.#known.set(authorization, { caller, until: Math.min(now + rememberMs, token.expiresAt ?? Infinity) })
    return caller
  }

  async #noteSeen({ id, kind, lastSeenAt = 0 }: ValidToken, now: number): Promise<void> {
    if (kind !== 'session' || now - lastSeenAt < lastSeenIntervalMs) return
    // Who only reads must not be kept out by a disk that is full.
    await this.#store.write((tables) => tables.tokens.noteSeen(id, now)).catch(() => undefined)
  }
}

/** Bearer tokens are hashed as they are; Basic carries a personal token as `id:secret`. */
export const credentialHash = (authorization: string | undefined): string | undefined => {
  if (authorization === undefined) return undefined
  const space = authorization.indexOf(' ')
  const scheme = authorization.slice(0, space).toLowerCase()
  const credential = authorization.slice(space + 1).trim()
  if (space < 1 || credential === '') return undefined
  if (scheme === 'bearer') return hashSecret(credential)
  if (scheme !== 'basic') return undefined
  const pair = Buffer.from(credential, 'base64').toString()
  return pair.startsWith('token-') ? hashSecret(pair) : undefined
}

const toCaller = ({ id, holder, scopes, clientId, leash }: ValidToken): KnownCaller => {
  if ('operatorId' in holder) return { kind: 'operator', operatorId: holder.operatorId, scopes, tokenId: id }
  const { accountId, userId, role } = holder
  return { kind: 'user', accountId, userId, admin: role === 'ADMIN', role, scopes, tokenId: id, clientId, leash: leash && heldBy(leash) }
}

const heldBy = ({ tools = usualTools, confirm = 'none' }: LeashRules): HeldBy => ({ tools, confirm })
