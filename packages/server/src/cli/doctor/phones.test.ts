import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
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
import { checkPhones } from '../doctor.ts'

const clock = realClock()

const addPhone = async (store: Store): Promise<{ accountId: string; deviceId: string }> => {
  const vault = await openVault({ key: randomBytes(32).toString('base64'), file: '' })
  return store.write(async (tables) => {
    const accountId = await createAccount(tables, clock, { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR' })
    const names = { email: 'a@example.com', firstname: 'Ada', lastname: 'L', passwordHash: 'none', admin: true, locale: 'en_US' } as const
    const userId = await createUser(tables, clock, accountId, names)
    const input = { accountId, userId, type: 'REGISTER', alias: 'Desk', actor: userId } as const
    return { accountId, deviceId: await createDevice(tables, clock, vault, input) }
  })
}

for (const database of databases) {
  test(`${database}: names phones whose audio did not arrive in the last day, next to the running service`, async (t) => {
    let store: Store | undefined
    const folder = await temporaryFolder(t, () => store?.close())
    const url = database === 'postgres' ? await emptyPostgres() : undefined
    const settings = readSettings({ OFFHOOK_DATA: folder, ...(url !== undefined && { DATABASE_URL: url }) })
    assert.deepEqual(await checkPhones({ settings, runsAt: undefined }), [], 'nothing is there yet')
    store = url === undefined ? await sqliteStore(join(folder, 'offhook.db')) : await postgresStore(url)
    const { accountId, deviceId } = await addPhone(store)
    const note = (at: number) =>
      store?.write(({ devices }) => devices.noteSound(accountId, deviceId, { state: 'unknown_source', callId: 'c', at }))
    await note(clock.now() - 2 * 86_400_000)
    assert.deepEqual(
      (await checkPhones({ settings, runsAt: undefined })).map(({ state }) => state),
      ['fine'],
    )
    await note(clock.now() - 1_000)
    const [finding] = await checkPhones({ settings, runsAt: undefined })
    assert.equal(finding?.state, 'doubtful')
    assert.match(finding.says, new RegExp(`unknown_source.*${accountId}${deviceId}$`))
    assert.match(finding.advice ?? '', /another address/)
  })
}
