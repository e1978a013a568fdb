// test: own process
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { databases, emptyPostgres, temporaryFolder } from '#test/store/databases.ts'
import { realClock } from '#adapters/clock/clocks.ts'
import { postgresStore } from '#adapters/store/postgres-store.ts'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import { openVault } from '#adapters/vault/file-vault.ts'
import { readSettings } from '#settings/config.ts'
import { createAccount, createUser } from '#core/account/accounts/create-account.ts'
import { createDevice } from '#core/account/devices/create-device.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { checkEmergency } from './emergency.ts'

const clock = realClock()

const addAccount = async (store: Store, phones: boolean): Promise<{ accountId: string; line: string }> => {
  const vault = await openVault({ key: randomBytes(32).toString('base64'), file: '' })
  return store.write(async (tables) => {
    const accountId = await createAccount(tables, clock, { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR' })
    const names = { firstname: 'Ada', lastname: 'L', passwordHash: 'none', admin: true, locale: 'en_US' } as const
    const userId = await createUser(tables, clock, accountId, { email: `${accountId}@example.com`, ...names })
    if (phones) await createDevice(tables, clock, vault, { accountId, userId, type: 'REGISTER', alias: 'Desk', actor: userId })
    const [line] = await tables.phonelines.list(accountId, userId)
    return { accountId, line: line?.id ?? assert.fail() }
  })
}

for (const database of databases) {
  test(`${database}: names accounts whose phones the emergency services cannot call back`, async (t) => {
    let store: Store | undefined
    const folder = await temporaryFolder(t, () => store?.close())
    const url = database === 'postgres' ? await emptyPostgres() : undefined
    const settings = readSettings({ OFFHOOK_DATA: folder, ...(url !== undefined && { DATABASE_URL: url }) })
    const check = async () => (await checkEmergency({ settings, runsAt: undefined })).map(({ state, says }) => `${state} ${says}`).join()
    assert.equal(await check(), '', 'there is no database yet')
    store = url === undefined ? await sqliteStore(join(folder, 'offhook.db')) : await postgresStore(url)
    await addAccount(store, false)
    assert.match(await check(), /^fine /)
    const { accountId, line } = await addAccount(store, true)
    assert.match(await check(), new RegExp(`^doubtful account ${accountId} has no number`))
    const number = { id: randomUUID(), e164: '+493023125001', type: 'LANDLINE', state: 'ACTIVE', createdAt: 0 } as const
    await store.write(({ numbers }) => numbers.insert(accountId, number))
    assert.match(await check(), /^doubtful /, 'it leads nowhere')
    await store.write(({ numbers }) => numbers.setRouting(accountId, number.id, { endpointId: line }))
    assert.match(await check(), /^fine /)
  })
}
