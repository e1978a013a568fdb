import { createHmac, timingSafeEqual } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { UserCaller } from '../caller/caller.ts'
import { readGrants } from '../caller/grants.ts'

const minute = 60_000
const defaultMs = 15 * minute

/** Exact form of our links: anything else was not issued by us. */
const form = /^(\/[\w/-]{1,200})\?account=([\w-]{1,64})&user=([a-z]\d{1,15})&expires=([1-9]\d{0,11})&signature=([\w-]{43})$/

export interface SignedLinksDeps {
  store: Store
  clock: Clock
  vault: Vault
  publicUrl: () => string
}

interface Link {
  accountId: string
  userId: string
  path: string
  /** Seconds since 1970. */
  expires: number
}

type Invalid = 'recording_link_invalid' | 'fax_link_invalid' | 'talk_ticket_invalid' | 'phone_ticket_invalid' | 'softphone_link_invalid'

/** Temporary addresses at which one user can fetch one resource without a token, for players and downloads. */
export class SignedLinks {
  readonly #deps: SignedLinksDeps
  readonly #key: Uint8Array
  readonly #invalid: Invalid
  readonly #validMs: number

  constructor(deps: SignedLinksDeps, purpose: string, invalid: Invalid, validMs = defaultMs) {
    this.#deps = deps
    this.#key = deps.vault.derive(purpose)
    this.#invalid = invalid
    this.#validMs = validMs
  }

  make(reader: { accountId: string; userId: string }, path: string): string {
    return this.makeFor(reader, path).url
  }

  /** `expiresAt`: milliseconds since the epoch. */
  makeFor({ accountId, userId }: { accountId: string; userId: string }, path: string): { url: string; expiresAt: number } {
    const expires = Math.floor((this.#deps.clock.now() + this.#validMs) / 1000)
    const signature = this.#sign({ accountId, userId, path, expires })
    const query = `account=${accountId}&user=${userId}&expires=${expires}&signature=${signature}`
    return { url: `${this.#deps.publicUrl()}${path}?${query}`, expiresAt: expires * 1000 }
  }

  /** Returns the user and path of the address, if it is intact and not expired, and if `mayFetch` still allows it. */
  async identify(address: string, mayFetch: (reader: Omit<UserCaller, 'kind'>, path: string) => Promise<boolean>): Promise<UserCaller> {
    const { accountId, userId, path } = this.#read(address)
    const { read } = this.#deps.store
    const [account, user] = await Promise.all([read.accounts.find(accountId), read.users.find(accountId, userId)])
    if (!account || !user?.active) throw new Problem(this.#invalid)
    const { admin, role } = user
    const grants = await readGrants(read, accountId, user)
    const reader = { accountId, userId, admin, role, grants, scopes: ['history:read' as const], tokenId: `link:${accountId}:${userId}` }
    if (!(await mayFetch(reader, path))) throw new Problem(this.#invalid)
    return { kind: 'user', ...reader }
  }

  #read(address: string): Link {
    const [, path = '', accountId = '', userId = '', seconds = '', signature = ''] = form.exec(address) ?? []
    const link = { accountId, userId, path, expires: Number(seconds) }
    const expected = Buffer.from(this.#sign(link))
    const given = Buffer.from(signature)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new Problem(this.#invalid)
    if (this.#deps.clock.now() >= link.expires * 1000) throw new Problem(this.#invalid)
    return link
  }

  #sign({ accountId, userId, path, expires }: Link): string {
    const signed = ['GET', path, accountId, userId, expires].join('\n')
    return createHmac('sha256', this.#key).update(signed).digest('base64url')
  }
}
