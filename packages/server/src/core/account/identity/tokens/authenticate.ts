import { usualTools } from '@offhook/contract/tools.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { ValidToken, LeashRules } from '#core/kernel/ports/store/identity.ts'
import type { HeldBy, KnownCaller } from '../caller/caller.ts'
import { grantsOf } from '../caller/grants.ts'
import { hashSecret } from './tokens.ts'

interface Remembered {
  caller: KnownCaller
  until: number
}

/** TTL of the token cache in milliseconds: a revocation on another node takes effect within this time; on this node immediately. */
const rememberMs = 1_000
/** Resolution of a login's last-used time in milliseconds. */
const lastSeenIntervalMs = 5 * 60_000
const remembered = 10_000

/** Identifies the caller by an Authorization header. */
export class Authenticator {
  readonly #store: Store
  readonly #clock: Clock
  /** Keyed by the header itself: hashing it for every request would cost more than all the rest of the check. */
  readonly #known = new Map<string, Remembered>()
  #changes = 0

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** Synchronous when the header is cached. */
  identify(authorization: string | undefined): KnownCaller | undefined | Promise<KnownCaller | undefined> {
    if (authorization === undefined) return undefined
    const known = this.#known.get(authorization)
    if (known && known.until > this.#clock.now()) return known.caller
    const hash = credentialHash(authorization)
    return hash === undefined ? undefined : this.#lookUp(authorization, hash)
  }

  /** Call after tokens, users or accounts were changed on this node. */
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
    if (changes !== this.#changes) return caller // the token may be revoked by now: do not cache
    if (this.#known.size >= remembered) this.#known.clear()
    this.#known.set(authorization, { caller, until: Math.min(now + rememberMs, token.expiresAt ?? Infinity) })
    return caller
  }

  async #noteSeen({ id, kind, lastSeenAt = 0 }: ValidToken, now: number): Promise<void> {
    if (kind !== 'session' || now - lastSeenAt < lastSeenIntervalMs) return
    // A full disk must not lock out read-only callers.
    await this.#store.write((tables) => tables.tokens.noteSeen(id, now)).catch(() => undefined)
  }
}

/** Bearer tokens are hashed unchanged; Basic carries a personal token as `id:secret`. */
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

const toCaller = ({ id, holder, scopes, clientId, leash, secondFactor, secondFactorDemanded }: ValidToken): KnownCaller => {
  if ('operatorId' in holder) return { kind: 'operator', operatorId: holder.operatorId, scopes, tokenId: id }
  const { accountId, userId, role, ownRoles } = holder
  return {
    kind: 'user',
    accountId,
    userId,
    admin: role === 'ADMIN',
    role,
    grants: ownRoles && grantsOf(ownRoles),
    scopes,
    tokenId: id,
    clientId,
    leash: leash && heldBy(leash),
    secondFactor,
    lacksSecondFactor: secondFactorDemanded && !secondFactor,
  }
}

const heldBy = ({ tools = usualTools, confirm = 'none' }: LeashRules): HeldBy => ({ tools, confirm })
