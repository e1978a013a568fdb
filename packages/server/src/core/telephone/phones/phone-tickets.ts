import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import { provideBrowserDevice } from '#core/account/devices/browser-device.ts'
import { SignedLinks, type SignedLinksParts } from '#core/account/identity/tokens/signed-links.ts'
import { userActor } from '#core/kernel/audit/audit-by.ts'
import type { PhonePages } from '#core/kernel/ports/browser/phone-pages.ts'
import type { PageOwner } from './pages.ts'

export interface PhoneTicketsParts extends SignedLinksParts {
  pages: PhonePages
}

const validMs = 30_000
const mostPages = 10

/** Addresses at which pages become phones. They are handed out first, because a browser cannot show a token when it opens a WebSocket. */
export class PhoneTickets {
  readonly #parts: PhoneTicketsParts
  readonly #links: SignedLinks
  #refusing = false

  constructor(parts: PhoneTicketsParts) {
    this.#parts = parts
    this.#links = new SignedLinks(parts, 'phone tickets', 'phone_ticket_invalid', validMs)
  }

  /** From now on no page becomes a phone, or all do again. */
  refuse(value: boolean): void {
    this.#refusing = value
  }

  /** Where a page of this user can become its phone, once and soon. */
  async invite({ accountId, userId }: Pick<PageOwner, 'accountId' | 'userId'>) {
    if (this.#refusing) throw new Problem('unavailable', 'This process is being drained and takes no more calls.')
    const { store, clock, vault } = this.#parts
    const owner = { accountId, userId, actor: userActor(userId) }
    const [known] = await store.read.devices.listByOwner(accountId, userId, 'BROWSER')
    const deviceId = known?.id ?? (await store.write((tables) => provideBrowserDevice(tables, clock, vault, owner)))
    this.#demandRoom(accountId, deviceId)
    const { url, expiresAt } = this.#links.makeFor({ accountId, userId }, `/v3/phone/${deviceId}/${randomUUID()}`)
    return { deviceId, url: url.replace(/^http/, 'ws'), expiresAt }
  }

  /** Whose page it is that comes with this address of ours; it is worth nothing afterwards. Throws a Problem when it is none, or none any more. */
  async redeem(address: string, { deviceId, ticket }: { deviceId: string; ticket: string }): Promise<PageOwner> {
    const { store, clock } = this.#parts
    const { accountId, userId } = await this.#links.identify(address, async ({ accountId: account }) => {
      const device = await store.read.devices.find(account, deviceId)
      return device?.type === 'BROWSER'
    })
    this.#demandRoom(accountId, deviceId)
    const use = { operation: 'openPhone', bodyHash: '', effectId: ticket, at: clock.now() }
    if (!(await store.write((tables) => tables.idempotency.begin(accountId, `phone ${ticket}`, use))))
      throw new Problem('phone_ticket_invalid')
    return { accountId, userId, deviceId }
  }

  #demandRoom(accountId: string, deviceId: string): void {
    if (this.#parts.pages.views(accountId, deviceId).length >= mostPages) throw new Problem('phone_limit_reached')
  }
}
