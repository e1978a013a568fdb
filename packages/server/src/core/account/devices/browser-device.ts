import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { createDevice } from './create-device.ts'

interface Owner {
  accountId: string
  userId: string
  actor: string
}

/** The same in every language; the owner can rename it. */
const alias = 'Browser'

/** Returns the user's browser phone; creates it if there is none. */
export const provideBrowserDevice = async (tables: Tables, clock: Clock, vault: Vault, owner: Owner): Promise<string> => {
  const { accountId, userId } = owner
  await tables.accounts.lock(accountId) // prevents two pages from creating two devices concurrently
  const [device] = await tables.devices.listByOwner(accountId, userId, 'BROWSER')
  return device?.id ?? createDevice(tables, clock, vault, { ...owner, type: 'BROWSER', alias })
}
