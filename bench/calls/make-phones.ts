import { realClock } from '#adapters/clock/clocks.ts'
import { openVault } from '#adapters/vault/file-vault.ts'
import { createAccount, createUser } from '#core/account/accounts/create-account.ts'
import { createDevice, maxDevices } from '#core/account/devices/create-device.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Login } from './registering-phones.ts'

export interface MadePhone extends Login {
  deviceId: string
}

/** Fills accounts up to the maximum number of phones. `key`: OFFHOOK_SECRET_KEY of the service. */
export const makePhones = async (store: Store, { phones, key }: { phones: number; key: string }): Promise<MadePhone[]> => {
  const clock = realClock()
  const vault = await openVault({ key, file: '' })
  const made: MadePhone[] = []
  while (made.length < phones)
    await store.write(async (tables) => {
      const accountId = await createAccount(tables, clock, { company: 'Bench', country: 'DE', locale: 'en_US', currency: 'EUR' })
      const names = { email: `${accountId}@example.com`, firstname: 'A', lastname: 'B', passwordHash: 'none', admin: true } as const
      const userId = await createUser(tables, clock, accountId, { ...names, locale: 'en_US' })
      for (let nth = 0; nth < maxDevices && made.length < phones; nth++) {
        const deviceId = await createDevice(tables, clock, vault, { accountId, userId, type: 'REGISTER', alias: 'Phone', actor: userId })
        const sealed = (await tables.devices.find(accountId, deviceId))?.sip?.passwordSealed ?? ''
        made.push({ deviceId, username: `${accountId}${deviceId}`, password: vault.open(sealed) })
      }
    })
  return made
}
