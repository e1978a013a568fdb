import { createHash } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import { hashSecret } from '../identity/tokens/tokens.ts'
import { refusal } from '../identity/caller/permissions.ts'
import { SignedLinks, type SignedLinksDeps } from '../identity/tokens/signed-links.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Device } from '#core/kernel/ports/store/device.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { requireType } from './change-device.ts'

const folder = '/softphone/'
const validMs = 10 * 60_000

/** One-time addresses from which a softphone fetches the settings of a device: valid long enough to scan a code, void after a password change. */
export class SoftphoneLinks {
  readonly #store: Store
  readonly #clock: Clock
  readonly #links: SignedLinks

  constructor(deps: SignedLinksDeps) {
    this.#store = deps.store
    this.#clock = deps.clock
    this.#links = new SignedLinks(deps, 'softphone links', 'softphone_link_invalid', validMs)
  }

  make(reader: { accountId: string; userId: string }, device: Device): { url: string; expiresAt: number } {
    requireType(device, 'REGISTER')
    return this.#links.makeFor(reader, `${folder}${device.id}/${markOf(device)}`)
  }

  /** Returns the device of the address, if the user who requested the address may still see it. */
  async open(address: string): Promise<Device> {
    const { accountId } = await this.#links.identify(address, async (reader, path) => {
      const device = await this.#find(reader.accountId, path)
      return device !== undefined && mayRead(reader, device) && path.endsWith(`/${markOf(device)}`)
    })
    const device = await this.#find(accountId, address)
    if (!device || !(await this.#spend(address))) throw new Problem('softphone_link_invalid')
    return device
  }

  /** False if any node has opened it before: an address from a browser history or a log is worthless. */
  async #spend(address: string): Promise<boolean> {
    const limit = { bucket: `softphone:${hashSecret(address)}`, limit: 1, windowMs: validMs }
    return 'id' in (await this.#store.write((tables) => tables.attempts.take(limit, this.#clock.now())))
  }

  #find(accountId: string, path: string): Promise<Device | undefined> {
    return this.#store.read.devices.find(accountId, path.slice(folder.length).split('/')[0] ?? '')
  }
}

const mayRead = (reader: Omit<UserCaller, 'kind'>, { owner }: Device): boolean =>
  refusal('CAN_GET_DEVICES', { kind: 'user', ...reader }, owner, { features: [], outboundEnabled: false }) === undefined

/** Changes with the password without revealing it. */
const markOf = ({ sip }: Device): string =>
  createHash('sha256')
    .update(sip?.passwordSealed ?? '')
    .digest('base64url')
    .slice(0, 22)
