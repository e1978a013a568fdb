import { randomUUID, createHmac } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import { provideBrowserDevice } from '#core/account/devices/browser-device.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { readGrants, type Grants } from '#core/account/identity/caller/grants.ts'
import { SignedLinks, type SignedLinksDeps } from '#core/account/identity/tokens/signed-links.ts'
import { userActor } from '#core/kernel/audit/audit.ts'
import type { PhonePages, BrowserFarEnd } from '#core/kernel/ports/browser.ts'
import type { PageOwner } from './page.ts'
import type { Clock, PeerNodes } from '#core/kernel/ports/platform.ts'

interface PhoneTicketsDeps extends SignedLinksDeps {
  pages: PhonePages
  /** TURN servers for browsers without a direct path. */
  relays?: ((user: string) => Relay[]) | undefined
}

export interface PageTicket {
  owner: PageOwner
  /** False when the user is deactivated or logged out. */
  welcome: () => Promise<boolean>
}

const validMs = 30_000
const maxPages = 10

/** Addresses at which pages become phones. Issued in advance, because a browser cannot send a token when it opens a WebSocket. */
export class PhoneTickets {
  readonly #deps: PhoneTicketsDeps
  readonly #links: SignedLinks
  #refusing = false

  constructor(deps: PhoneTicketsDeps) {
    this.#deps = deps
    this.#links = new SignedLinks(deps, 'phone tickets', 'phone_ticket_invalid', validMs)
  }

  /** Starts or stops rejecting new pages (drain). */
  refuse(value: boolean): void {
    this.#refusing = value
  }

  /** Issues a short-lived, single-use address for a page of this user. */
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

  /** Returns the owner of the page and invalidates the address. Throws a Problem when the address is invalid, expired or used. */
  async redeem(address: string, { deviceId, ticket }: { deviceId: string; ticket: string }): Promise<PageTicket> {
    const { store, clock } = this.#deps
    const isPhone = async (accountId: string) => (await store.read.devices.find(accountId, deviceId))?.type === 'BROWSER'
    const { accountId, userId } = await this.#links.identify(
      address,
      async ({ accountId: of, grants }) => mayCall(grants) && (await isPhone(of)),
    )
    this.#requireCapacity(accountId, deviceId)
    const use = { operation: 'openPhone', bodyHash: '', effectId: ticket, at: clock.now() }
    if (!(await store.write((tables) => tables.idempotency.begin(accountId, `phone ${ticket}`, use))))
      throw new Problem('phone_ticket_invalid')
    const [, login] = ticket.split('_')
    return { owner: { accountId, userId, deviceId }, welcome: () => this.#isWelcome(accountId, userId, login) }
  }

  async #isWelcome(accountId: string, userId: string, login: string | undefined): Promise<boolean> {
    const { read } = this.#deps.store
    const { users, tokens } = read
    const user = await users.find(accountId, userId)
    if (!user?.active || !mayCall(await readGrants(read, accountId, user))) return false
    return login === undefined || tokens.has(accountId, userId, login)
  }

  #requireCapacity(accountId: string, deviceId: string): void {
    if (this.#deps.pages.views(accountId, deviceId).length >= maxPages) throw new Problem('phone_limit_reached')
  }
}

/** A page whose user may no longer call is no phone. */
const mayCall = (grants: Grants | undefined): boolean => !grants || grants.CAN_INITIATE_CALLS !== undefined

/** Login of the page, which is a phone only while the login lasts. App tokens are renewed constantly and do not show when an app is removed. */
const loginOf = ({ tokenId, clientId }: UserCaller): string[] =>
  clientId === undefined && /^[\w-]{1,64}$/.test(tokenId) && !tokenId.includes('_') ? [tokenId] : []

/** ICE server for RTCPeerConnection. */
interface Relay {
  urls: string[]
  username: string
  credential: string
}

const validSeconds = 3600

/** Temporary TURN credentials, derived from a shared secret like coturn's use-auth-secret. */
export const relaysWith =
  ({ urls, secret, clock }: { urls: string[]; secret: string; clock: Pick<Clock, 'now'> }) =>
  (user: string): Relay[] => {
    const username = `${Math.floor(clock.now() / 1000) + validSeconds}:${user}`
    return [{ urls, username, credential: createHmac('sha1', secret).update(username).digest('base64') }]
  }

interface SoundTicketsDeps {
  clock: Clock
  peerNodes: Pick<PeerNodes, 'self' | 'others'>
}

/** Destination of a call's sound: this node, or the node at this address. */
export type SoundPlace = { farEnd: BrowserFarEnd } | { at: string }

const unusedMs = 30_000
/** Node that has the call, and a random id. */
const form = /^([\w-]{1,100})\.[\w-]{36}$/

/** Tickets for connections that carry the sound of one call, for pages without a WebRTC path. */
export class SoundTickets {
  readonly #deps: SoundTicketsDeps
  readonly #valid = new Map<string, { farEnd: BrowserFarEnd; cancel: () => void }>()

  constructor(deps: SoundTicketsDeps) {
    this.#deps = deps
  }

  make(farEnd: BrowserFarEnd): string {
    const ticket = `${this.#deps.peerNodes.self}.${randomUUID()}`
    const cancel = this.#deps.clock.after(unusedMs, () => this.#valid.delete(ticket))
    this.#valid.set(ticket, { farEnd, cancel })
    void farEnd.leg.ended.then(() => this.#spend(ticket))
    return ticket
  }

  /** Invalidates the ticket. Throws a Problem when it is invalid, expired or used. */
  redeem(ticket: string): SoundPlace {
    const farEnd = this.#spend(ticket)
    if (farEnd) return { farEnd }
    const [, at] = form.exec(ticket) ?? []
    const there = this.#deps.peerNodes.others().find(({ owner }) => owner === at)
    if (!there) throw new Problem('phone_ticket_invalid')
    return { at: there.http }
  }

  close(): void {
    for (const ticket of this.#valid.keys()) this.#spend(ticket)
  }

  #spend(ticket: string): BrowserFarEnd | undefined {
    const { farEnd, cancel } = this.#valid.get(ticket) ?? {}
    cancel?.()
    this.#valid.delete(ticket)
    return farEnd
  }
}
