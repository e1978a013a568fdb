import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { migrations, schemaRelease } from '#adapters/store/migrate.ts'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import { readSettings } from '#settings/config.ts'
import { version } from '#settings/version.ts'
import { freshPostgres, temporaryFolder } from '#test/store/databases.ts'
import { upgradeOutlook } from '#wiring/database/upgrade-outlook.ts'
import { linesOf } from './upgrade.ts'

const last = Object.keys(migrations).at(-1) ?? ''

test('reports the effect of a start on the database without changing it', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'offhook.db')
  const settings = readSettings({ OFFHOOK_DATA: folder })
  const says = async (): Promise<string[]> => linesOf(await upgradeOutlook(settings)).map(([, words]) => words)
  const ours = `${version()}, of release ${schemaRelease}: can work with it`
  assert.deepEqual(await says(), [`SQLite in ${folder}: empty`, ours, 'makes the tables'])
  const store = await sqliteStore(file)
  const here = `SQLite in ${folder}: schema of release ${schemaRelease}, last change ${last}`
  const back = `versions of release ${schemaRelease - 1} and newer work beside it and after it`
  assert.deepEqual(await says(), [here, ours, 'changes nothing', back], 'beside a service')
  await store.close()

  const raw = new DatabaseSync(file)
  raw.exec(`delete from kysely_migration where name = '${last}'`)
  assert.deepEqual((await says())[2], `changes the schema: ${last} (expand)`)
  assert.equal(raw.prepare('select count(*) as n from kysely_migration').get()?.['n'], Object.keys(migrations).length - 1)

  raw.exec(`update schema_release set newest = ${schemaRelease - 2}, min_reader = ${schemaRelease - 3}`)
  const skipped = await upgradeOutlook(settings)
  assert.deepEqual([skipped.starts, skipped.canGoBack], [true, schemaRelease - 2 === 0])

  raw.exec(`update schema_release set newest = ${schemaRelease + 1}, min_reader = ${schemaRelease}`)
  const ahead = await upgradeOutlook(settings)
  assert.deepEqual([ahead.starts, ahead.canGoBack, ahead.oldestReader], [true, true, schemaRelease])
  raw.exec(`update schema_release set newest = ${schemaRelease + 2}, min_reader = ${schemaRelease + 1}`)
  raw.close()
  assert.equal((await upgradeOutlook(settings)).starts, false)
  assert.match((await says())[1] ?? '', /too old for it/)
})

test('reports the same for PostgreSQL', async () => {
  const outlook = await upgradeOutlook(readSettings({ DATABASE_URL: await freshPostgres() }))
  assert.deepEqual([outlook.schema?.release, outlook.schema?.made.at(-1), outlook.starts], [schemaRelease, last, true])
  const unspecified = upgradeOutlook(readSettings({ DATABASE_URL: 'postgres://127.0.0.1:1/none' }))
  await assert.rejects(unspecified, /The database of DATABASE_URL cannot be used/)
})
