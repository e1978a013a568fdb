import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { createDevice } from './create-device.ts'

export interface Owner {
  accountId: string
  userId: string
  actor: string
}

/** The same in every language; its owner can give it another name. */
const alias = 'Browser'

/** The phone of a user in the browser; it is made when there is none. */
export const provideBrowserDevice = async (tables: Tables, clock: Clock, vault: Vault, owner: Owner): Promise<string> => {
  const { accountId, userId } = owner
  await tables.accounts.lock(accountId) // so that two pages at once do not make two
  const [device] = await tables.devices.listByOwner(accountId, userId, 'BROWSER')
  return device?.id ?? createDevice(tables, clock, vault, { ...owner, type: 'BROWSER', alias })
}
