import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryFolder } from '#test/store/databases.ts'
import { sqliteStore } from '../sqlite-store.ts'

const inUse = { name: 'DatabaseInUse', code: 'DATABASE_IN_USE' }

test('a database file belongs to one store at a time', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'test.db')
  const first = await sqliteStore(file)
  await assert.rejects(sqliteStore(file), inUse)
  await first.write(({ settings }) => settings.setOnce('still', 'works'))
  await first.close()
  const second = await sqliteStore(file)
  assert.equal(await second.read.settings.get('still'), 'works')
  for (const name of ['test.db', 'test.db-wal', 'test.db-shm', 'test.db.lock'])
    assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name)
  await second.close()
})

test('rejects a second process until the first one has ended, even by SIGKILL', async (t) => {
  const file = join(await temporaryFolder(t), 'test.db')
  const holding = `import { sqliteStore } from ${JSON.stringify(join(import.meta.dirname, '../sqlite-store.ts'))}
    await sqliteStore(${JSON.stringify(file)})
    console.log('open')
    setInterval(() => {}, 1000)`
  const other = spawn(process.execPath, ['--input-type=module', '-e', holding], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => other.kill('SIGKILL'))
  await once(other.stdout, 'data')
  await assert.rejects(sqliteStore(file), inUse)
  await assert.rejects(sqliteStore(file), inUse, 'having tried does not open the door')
  other.kill('SIGKILL')
  await once(other, 'exit')
  await (await sqliteStore(file)).close()
})

test('a store that could not be opened releases its file', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'test.db')
  const store = await sqliteStore(file)
  await store.close()
  const raw = new DatabaseSync(file)
  raw.exec(`update kysely_migration set name = '9999-from-the-future' where name = '0004-messages'`)
  await assert.rejects(sqliteStore(file), /present schema/)
  raw.exec(`update kysely_migration set name = '0004-messages' where name = '9999-from-the-future'`)
  raw.close()
  await (await sqliteStore(file)).close()
})
