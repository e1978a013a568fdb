import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { createAccount, createUser } from '#core/account/accounts/create-account.ts'
import { verifyAudit } from '#core/kernel/audit/audit-hash.ts'
import type { DataSubject, PersonalRows } from '#core/kernel/ports/account.ts'
import type { JournalFile } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/platform.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { freshPostgres } from '#test/store/databases.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { bothDatabases, startWorld, type Database } from '#test/world/world.ts'
import { postgresStore } from '../postgres-store.ts'
import { sqliteStore } from '../sqlite-store.ts'
import { ErasureJournal } from './journal.ts'
import { personalData } from './personal-data.ts'

const tablesOf = async (all: AsyncIterable<PersonalRows>): Promise<string[]> => {
  const found = new Set<string>()
  for await (const { table } of all) found.add(table)
  return [...found].toSorted()
}

/** Sufficient for a test: unreadable for a search. */
const vault: Vault = {
  seal: (plain) => Buffer.from(plain).toString('hex'),
  open: (sealed) => Buffer.from(sealed, 'hex').toString(),
  derive: () => randomBytes(32),
}

const fileInMemory = (): JournalFile => {
  const lines: string[] = []
  return {
    lines: async () => [...lines],
    append: async (more) => void lines.push(...more),
    clear: async () => void lines.splice(0),
    close: async () => {},
  }
}

/** The adapter alone, with an account, a user and an audit log. */
const openAdapter = async (t: TestContext, database: Database) => {
  const folder = await temporaryFolder(t, () => store.close())
  const store = database === 'sqlite' ? await sqliteStore(join(folder, 'test.db')) : await postgresStore(await freshPostgres())
  const clock = new VirtualClock()
  const file = fileInMemory()
  const openJournal = (own = file): ErasureJournal =>
    new ErasureJournal({ database: store.raw, vault, clock, openFile: async () => own, copies: undefined, onUnavailable: () => {} })
  const kept = new Set<string>()
  const away = { files: false }
  const files = {
    async *list(prefix: string) {
      for (const key of kept) if (key.startsWith(prefix)) yield { key, bytes: 1, changedAt: 0 }
    },
    async remove(key: string) {
      if (away.files) throw new Error('the store of files is away')
      kept.delete(key)
    },
  }
  const journal = openJournal()
  const data = personalData({ database: store.raw, files, clock, journal, forget: async () => {}, onRemains: () => {} })
  const accountId = await store.write((tables) =>
    createAccount(tables, clock, { company: 'Planted Works', country: 'DE', locale: 'en_US', currency: 'EUR' }),
  )
  const names = {
    firstname: 'Grace',
    lastname: 'Hopper',
    email: 'grace@example.com',
    passwordHash: '',
    admin: true,
    locale: 'en_US',
  } as const
  const userId = await store.write((tables) => createUser(tables, clock, accountId, names))
  const note = (action: string, detail?: unknown): Promise<void> =>
    store.write((tables) => tables.audit.append(accountId, { at: clock.now(), actor: 'service', action, target: 'x', detail }))
  return { store, clock, file, openJournal, kept, away, journal, data, accountId, userId, note }
}

for (const database of bothDatabases) {
  test(`${database}: exports and erases a user and an account without other data`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount('Planted Works')
    const bob = await world.newUser(ada.accountId)
    const { personalData: data } = world.running.deps
    const user = { type: 'user', accountId: ada.accountId, userId: bob.userId } as const
    const own = ['app_user', 'extension', 'faxline', 'phoneline', 'sms_line', 'token', 'voicemail']
    assert.deepEqual(await tablesOf(data.rows(user)), own)
    for await (const { rows } of data.rows(user)) for (const row of rows) assert.ok(!('password_hash' in row) && !('hash' in row))
    await data.erase(user)
    assert.equal(await data.exists(user), false)
    assert.deepEqual(await tablesOf(data.rows(user)), [])
    const account = { type: 'account', accountId: ada.accountId } as const
    await data.erase(account)
    assert.equal(await data.exists(account), false)
    const kept = ['account', 'audit', 'audit_head', 'balance']
    assert.deepEqual(
      (await tablesOf(data.rows(account))).filter((table) => !kept.includes(table)),
      [],
    )
    assert.deepEqual((await (await world.operator()).verifyAudit()).broken, [])
  })

  test(`${database}: repeats an interrupted erasure under the same journal entry`, async (t) => {
    const { store, kept, away, journal, data, accountId, userId, note } = await openAdapter(t, database)
    await note('user.welcome', { to: 'Grace Hopper' })
    await note('something.else')
    const number: DataSubject = { type: 'number', accountId, number: '+4915112345678' }
    kept.add(`recordings/${accountId}/a.wav`)
    away.files = true
    const account: DataSubject = { type: 'account', accountId }
    await assert.rejects(data.erase(account), /away/)
    away.files = false
    await data.erase(account)
    assert.equal(kept.size, 0)
    assert.equal(await store.read.users.find(accountId, userId), undefined)
    await data.erase(number)
    assert.deepEqual(
      (await journal.list()).map(({ subject }) => subject),
      [account, number],
    )
    assert.deepEqual((await verifyAudit(store.read.audit)).broken, [])
    assert.deepEqual(
      (await store.read.audit.list(accountId, { afterSeq: 0, limit: 9 })).map(({ action, target, detail }) => [action, target, detail]),
      [
        ['user.welcome', 'erased', 'erased'],
        ['something.else', 'erased', 'erased'],
      ],
    )
  })

  test(`${database}: erases a restored database again by the journal, but not one that knows the erasure`, async (t) => {
    const { store, file, data, accountId, userId, openJournal } = await openAdapter(t, database)
    const other = await openAdapter(t, database)
    await other.data.erase({ type: 'user', accountId, userId })
    // Simulates a restored older database: the journal has an erasure that it does not know.
    await file.append(await other.file.lines())
    assert.equal(await data.resume(), 1)
    assert.equal(await store.read.users.find(accountId, userId), undefined)
    assert.equal(await data.resume(), 0)
    const lost = fileInMemory()
    assert.deepEqual(await openJournal(lost).reconcile(), [])
    assert.deepEqual(await lost.lines(), await file.lines(), 'the database gives a lost file back')
  })

  test(`${database}: treats a number of the account itself as no person`, async (t) => {
    const { store, data, accountId } = await openAdapter(t, database)
    const subject: DataSubject = { type: 'number', accountId, number: '+493023125001' }
    await store.write((tables) =>
      tables.numbers.insert(accountId, { id: 'n', e164: subject.number, type: 'LANDLINE', state: 'ACTIVE', createdAt: 0 }),
    )
    assert.equal(await data.exists(subject), false)
    assert.deepEqual(await data.erase(subject), { deletedRows: 0, pseudonymizedRows: 0, deletedFiles: 0 })
  })
}

test('an erasure does not hide manual changes of the audit log', async (t) => {
  const { store, data, accountId, userId, note } = await openAdapter(t, 'sqlite')
  for (const action of ['one', 'two', 'three', 'four']) await note(action, { name: 'Grace Hopper' })
  await store.raw.write(async (db) => {
    await sql`drop trigger audit_no_update`.execute(db)
    await sql`update audit set action = 'forged' where chain = ${accountId} and seq = 3`.execute(db)
  })
  await data.erase({ type: 'user', accountId, userId })
  assert.deepEqual((await verifyAudit(store.read.audit)).broken, [{ chain: accountId, seq: 3 }])
  const entries = await store.read.audit.list(accountId, { afterSeq: 0, limit: 9 })
  assert.deepEqual(
    entries.map(({ detail }) => detail),
    Array.from({ length: 4 }, () => ({ name: 'erased' })),
  )
})

test('the journal drops entries after three years', async (t) => {
  const { clock, data, journal, file, accountId } = await openAdapter(t, 'sqlite')
  await data.erase({ type: 'number', accountId, number: '+4915112345678' })
  await clock.advance(3 * 366 * 24 * 3_600_000 + 1)
  assert.equal(await data.resume(), 0)
  assert.deepEqual([await journal.list(), await file.lines()], [[], []])
})
