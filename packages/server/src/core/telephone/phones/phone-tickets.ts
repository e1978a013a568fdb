import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import { provideBrowserDevice } from '#core/account/devices/browser-device.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { SignedLinks, type SignedLinksDeps } from '#core/account/identity/tokens/signed-links.ts'
import { userActor } from '#core/kernel/audit/audit-by.ts'
import type { PhonePages } from '#core/kernel/ports/browser/phone-pages.ts'
import type { PageOwner } from './page.ts'
import type { Relay } from './relays.ts'

export interface PhoneTicketsDeps extends SignedLinksDeps {
  pages: PhonePages
  /** Where browsers find a way when there is no direct one. */
  relays?: ((user: string) => Relay[]) | undefined
}

export interface PageTicket {
  owner: PageOwner
  /** False when the user is gone, or logged out. */
  welcome: () => Promise<boolean>
}

const validMs = 30_000
const maxPages = 10

/** Addresses at which pages become phones. They are handed out first, because a browser cannot show a token when it opens a WebSocket. */
export class PhoneTickets {
  readonly #deps: PhoneTicketsDeps
  readonly #links: SignedLinks
  #refusing = false

  constructor(deps: PhoneTicketsDeps) {
    this.#deps = deps
    this.#links = new SignedLinks(deps, 'phone tickets', 'phone_ticket_invalid', validMs)
  }

  /** From now on no page becomes a phone, or all do again. */
  refuse(value: boolean): void {
    this.#refusing = value
  }

  /** Where a page of this user can become its phone, once and soon. */
  async invite(caller: UserCaller) {
    if (this.#refusing) throw new Problem('unavailable', 'This process is being drained and takes no more calls.')
    const { store, clock, vault, relays } = this.#deps
    const { accountId, userId } = caller
    const owner = { accountId, userId, actor: userActor(userId) }
    const [known] = await store.read.devices.listByOwner(accountId, userId, 'BROWSER')
    const deviceId = known?.id ?? (await store.write((tables) => provideBrowserDevice(tables, clock, vault, owner)))
    this.#requireCapacity(accountId, deviceId)
    const ticket = [randomUUID(), ...loginOf(caller)].join('_')
    const { url, expiresAt } = this.#links.makeFor({ accountId, userId }, `/v3/phone/${deviceId}/${ticket}`)
    return { deviceId, url: url.replace(/^http/, 'ws'), expiresAt, iceServers: relays?.(`${accountId}${userId}`) ?? [] }
  }

  /** Whose page it is that comes with this address of ours; it is worth nothing afterwards. Throws a Problem when it is none, or none any more. */
  async redeem(address: string, { deviceId, ticket }: { deviceId: string; ticket: string }): Promise<PageTicket> {
    const { store, clock } = this.#deps
    const isPhone = async (accountId: string) => (await store.read.devices.find(accountId, deviceId))?.type === 'BROWSER'
    const { accountId, userId } = await this.#links.identify(address, (reader) => isPhone(reader.accountId))
    this.#requireCapacity(accountId, deviceId)
    const use = { operation: 'openPhone', bodyHash: '', effectId: ticket, at: clock.now() }
    if (!(await store.write((tables) => tables.idempotency.begin(accountId, `phone ${ticket}`, use))))
      throw new Problem('phone_ticket_invalid')
    const [, login] = ticket.split('_')
    return { owner: { accountId, userId, deviceId }, welcome: () => this.#isWelcome(accountId, userId, login) }
  }

  async #isWelcome(accountId: string, userId: string, login: string | undefined): Promise<boolean> {
    const { users, tokens } = this.#deps.store.read
    if (!(await users.find(accountId, userId))?.active) return false
    return login === undefined || tokens.has(accountId, userId, login)
  }

  #requireCapacity(accountId: string, deviceId: string): void {
    if (this.#deps.pages.views(accountId, deviceId).length >= maxPages) throw new Problem('phone_limit_reached')
  }
}

/** The login that the page came with: it is a phone no longer than that lasts. Tokens of apps are renewed all the time, and do not say when an app goes. */
const loginOf = ({ tokenId, clientId }: UserCaller): string[] =>
  clientId === undefined && /^[\w-]{1,64}$/.test(tokenId) && !tokenId.includes('_') ? [tokenId] : []
