import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { sqliteStore } from '../sqlite-store.ts'

const secret = 'planted-in-a-setting'

const openStore = async (t: TestContext, options: { maxScrubbedBytes?: number } = {}) => {
  const folder = await temporaryFolder(t, () => store.close())
  const file = join(folder, 'test.db')
  const store = await sqliteStore(file, options)
  const set = (value: string): Promise<boolean> => store.write((tables) => tables.settings.setOnce(`name ${value}`, value))
  const bytes = async (): Promise<string> => (await Promise.all([file, `${file}-wal`].map((path) => readFile(path, 'latin1')))).join('')
  return { file, store, set, bytes }
}

const remove = (store: Awaited<ReturnType<typeof openStore>>['store']): Promise<unknown> =>
  store.raw.write(async (db) => db.deleteFrom('setting').where('value', '=', secret).execute())

test('leaves no deleted row in the file and empties its log', async (t) => {
  const { file, store, set, bytes } = await openStore(t)
  await set(secret)
  await remove(store)
  assert.ok((await bytes()).includes(secret))
  assert.equal(await store.raw.scrub([]), true)
  assert.ok(!(await bytes()).includes(secret))
  assert.equal((await stat(`${file}-wal`)).size, 0)
})

test('makes writers wait without blocking the event loop', async (t) => {
  const { store, set } = await openStore(t)
  await set('before')
  let turns = 0
  let running = true
  const spin = (): void => void (running && (turns++, setImmediate(spin)))
  spin()
  await Promise.all([store.raw.scrub([]), set('meanwhile'), store.raw.scrub([])])
  running = false
  assert.ok(turns > 1)
  assert.equal(await store.read.settings.get('name meanwhile'), 'meanwhile')
})

test('overwrites deleted rows of a large file without rewriting it', async (t) => {
  const { store, set, bytes } = await openStore(t, { maxScrubbedBytes: 1 })
  await set(secret)
  await remove(store)
  assert.equal(await store.raw.scrub([]), false)
  assert.ok(!(await bytes()).includes(secret))
})
