import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { appendFile, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openJournalFile } from '#adapters/journal/journal-file.ts'
import { openVault } from '#adapters/vault/file-vault.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { openTestStore, temporaryFolder } from '#test/store/databases.ts'
import { StoreUnavailable, type Store, type StoreReach } from '../ports/store/index.ts'
import { WaitingWrites } from './waiting-writes.ts'

/** Journal of settings, and a store that can be unreachable. */
const openFixture = async (t: TestContext) => {
  const direct = await openTestStore(t, 'sqlite')
  const path = join(await temporaryFolder(t), 'waiting.journal')
  const vault = await openVault({ key: randomBytes(32).toString('base64'), file: '' })
  const watchers = new Set<(away: boolean) => void>()
  let away = false
  const reach: StoreReach = {
    get awayMs() {
      return away ? 1 : 0
    },
    now: async () => 0,
    room: undefined,
    answers: async () => !away,
    watch: (notifications) => {
      watchers.add(notifications)
      return () => watchers.delete(notifications)
    },
  }
  const write: Store['write'] = (work) => (away ? Promise.reject(new StoreUnavailable(undefined)) : direct.write(work))
  const store: Store = { ...direct, write, reach }
  const setAway = (value: boolean): void => {
    away = value
    for (const notifications of watchers) notifications(value)
  }
  const failures: unknown[] = []
  const clock = new VirtualClock()
  const open = async (): Promise<WaitingWrites> => {
    const waiting = new WaitingWrites({
      store,
      clock,
      file: await openJournalFile(path),
      vault,
      onFailure: (error) => failures.push(error),
    })
    waiting.writes('setting', async ({ settings }, payload) => {
      const { name } = payload as { name: string }
      if (name === 'impossible') throw new Error('cannot be written')
      await settings.setOnce(name, 'written')
    })
    t.after(() => waiting.close())
    return waiting
  }
  const keep = (waiting: WaitingWrites, name: string) => waiting.keep({ kind: 'setting', id: name, payload: { name } })
  const isWritten = async (name: string) => (await direct.read.settings.get(name)) === 'written'
  return { path, clock, open, keep, isWritten, setAway, failures }
}

test('writes journaled entries when the database is back, and empties the file', async (t) => {
  const { path, open, keep, isWritten, setAway } = await openFixture(t)
  const waiting = await open()
  setAway(true)
  for (let index = 0; index < 250; index++) assert.equal(await keep(waiting, `s${index}`), true)
  assert.equal(await isWritten('s0'), false)
  assert.ok(!(await readFile(path, 'utf8')).includes('s249'), 'it is sealed')
  assert.equal((await stat(path)).mode & 0o077, 0, 'and nobody else reads it')
  setAway(false)
  await waiting.idle()
  assert.deepEqual([await isWritten('s0'), await isWritten('s249')], [true, true])
  assert.equal((await stat(path)).size, 0)
})

test('writes entries of the previous run, except for an incomplete line', async (t) => {
  const { path, open, keep, isWritten, setAway, failures } = await openFixture(t)
  const first = await open()
  setAway(true)
  await keep(first, 'kept')
  await first.close()
  await appendFile(path, 'v1:half')
  setAway(false)
  await (await open()).start()
  assert.equal(await isWritten('kept'), true)
  assert.equal(failures.length, 1)
})

test('writes the other entries when one cannot be written', async (t) => {
  const { open, keep, isWritten, setAway, failures } = await openFixture(t)
  const waiting = await open()
  setAway(true)
  for (const name of ['before', 'impossible', 'after']) await keep(waiting, name)
  setAway(false)
  await waiting.idle()
  assert.deepEqual([await isWritten('before'), await isWritten('after'), failures.length], [true, true, 1])
})

test('retries after one second when the database failed once but is reachable', async (t) => {
  const { clock, open, keep, isWritten } = await openFixture(t)
  const waiting = await open()
  await keep(waiting, 'soon')
  await clock.advance(1_000)
  await waiting.idle()
  assert.equal(await isWritten('soon'), true)
})

test('accepts ten thousand entries at most', async (t) => {
  const { open, keep, setAway } = await openFixture(t)
  const waiting = await open()
  setAway(true)
  const kept = await Promise.all(Array.from({ length: 10_001 }, (_, index) => keep(waiting, `s${index}`)))
  assert.equal(kept.filter(Boolean).length, 10_000)
})
