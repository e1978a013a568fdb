import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Client } from 'pg'
import { bothDatabases, emptyPostgres, temporaryFolder, type Database } from '#test/store/databases.ts'
import { breakage } from '#test/store/side-by-side.ts'
import { migrations, schemaRelease } from './migrate.ts'
import { postgresStore } from './postgres-store.ts'
import { sqliteStore } from './sqlite-store.ts'

for (const dialect of bothDatabases)
  test(`${dialect}: additions of a release do not break the previous one`, () => {
    const changes = Object.entries(migrations)
    for (let release = 2; release <= schemaRelease; release++) {
      const statements = changes
        .filter(([, change]) => change.release === release && change.kind === 'expand')
        .flatMap(([name, change]) => change.statements(dialect).map((statement) => ({ name, statement })))
      for (const found of breakage(statements)) assert.fail(found)
    }
  })

test('orders changes by number and release, and has no contract change in the first release', () => {
  const names = Object.keys(migrations)
  assert.deepEqual(
    names,
    names.toSorted((one, other) => one.localeCompare(other)),
  )
  const releases = Object.values(migrations).map(({ release }) => release)
  assert.deepEqual(
    releases,
    releases.toSorted((one, other) => one - other),
  )
  const first = Object.values(migrations).filter(({ release, kind }) => release === 1 && kind === 'contract')
  assert.equal(first.length, 0)
})

test('detects changes that break the previous release', () => {
  const made = { name: '2', statement: 'create table fresh (id text primary key, note text)' }
  const added = { name: '2', statement: 'alter table account add column badge text' }
  const broken = [
    'drop table account',
    'alter table account drop column company',
    'alter table account rename column company to firm',
    'alter table account rename to customer',
    'alter table account add column code text not null',
    'alter table account alter column company set not null',
    'alter table account alter column bytes type integer',
    'alter table account add constraint positive check (bytes > 0)',
    'create unique index account_company on account (company)',
    'create unique index account_company on account (company) where company is not null',
    "create trigger t before insert on account begin select raise(abort, 'no'); end",
    'delete from account',
  ]
  for (const statement of broken) assert.equal(breakage([made, { name: '2', statement }]).length, 1, statement)
  const harmless = [
    'alter table account add column code text',
    "alter table account add column code text not null default ''",
    'create index account_company on account (company)',
    'drop index account_company',
    'create unique index account_badge on account (company, badge) where badge is not null',
    'create unique index fresh_note on fresh (note)',
    'alter table fresh alter column note set not null',
    "insert into fresh values ('1', 'x')",
    "update account set code = ''",
  ]
  const replaced = [
    { name: '2', statement: 'drop trigger account_no_update' },
    { name: '2', statement: "create trigger account_no_update before update on account begin select raise(abort, 'no'); end" },
  ]
  assert.deepEqual(breakage(replaced), [])
  for (const statement of harmless) assert.deepEqual(breakage([made, added, { name: '2', statement }]), [], statement)
})

/** The database of an installation, with a way to change it like another version. */
const openInstallation = async (t: Parameters<typeof temporaryFolder>[0], database: Database) => {
  if (database === 'sqlite') {
    const file = join(await temporaryFolder(t), 'test.db')
    return {
      open: () => sqliteStore(file),
      run: async (statement: string) => {
        const raw = new DatabaseSync(file)
        raw.exec(statement)
        raw.close()
      },
    }
  }
  const url = await emptyPostgres()
  return {
    open: () => postgresStore(url),
    run: async (statement: string) => {
      const raw = new Client({ connectionString: url })
      await raw.connect()
      await raw.query(statement)
      await raw.end()
    },
  }
}

for (const database of bothDatabases)
  test(`${database}: a version starts on a schema one release ahead, and rejects one further ahead`, async (t) => {
    const { open, run } = await openInstallation(t, database)
    await (await open()).close()
    // Like the next release.
    await run('alter table account add column later text')
    await run(`insert into kysely_migration values ('9001-later', 'then')`)
    await run(`update schema_release set newest = ${schemaRelease + 1}, min_reader = ${schemaRelease}`)
    const store = await open()
    assert.deepEqual(await store.read.accounts.find('nobody'), undefined)
    await store.close()
    await run(`update schema_release set newest = ${schemaRelease + 2}, min_reader = ${schemaRelease + 1}`)
    await assert.rejects(open(), {
      code: 'DATABASE_TOO_NEW',
      message: `a newer version has brought it to release ${schemaRelease + 2}, and this version is of release ${schemaRelease}, which works with release ${schemaRelease + 1} at most: start the newer version`,
    })
  })
