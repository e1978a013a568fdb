import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localBus } from '#adapters/bus/local-bus.ts'
import { StoreUnavailable, type Store, type StoreReach } from '#core/kernel/ports/store/index.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { busChanges } from './publish-changes.ts'
import { RoutingMemory } from './routing-memory.ts'

const account = '1000000'

/** Store with only some of the queries. */
const openMemory = ({ exact = false } = {}) => {
  const clock = new VirtualClock()
  let awaySince: number | undefined
  const asked: string[] = []
  const answer = async (what: string): Promise<unknown> => {
    asked.push(what)
    if (awaySince !== undefined) throw new StoreUnavailable(undefined)
    return { accountId: account, name: what }
  }
  const read = {
    devices: {
      find: (accountId: string, id: string) => answer(`${accountId}/${id}`),
      registrations: (_accountId: string, ids: string[], now: number) => answer(`${ids.join()} at ${now}`),
    },
    numbers: { findCallable: (e164: string) => (awaySince === undefined && e164 === '+0' ? Promise.resolve(undefined) : answer(e164)) },
    balances: { find: (accountId: string) => answer(accountId) },
  }
  const reach: StoreReach = {
    get awayMs() {
      return awaySince === undefined ? 0 : clock.elapsed() - awaySince + 1
    },
    now: async () => 0,
    room: undefined,
    answers: async () => awaySince === undefined,
    watch: () => () => {},
  }
  // Only existing methods can be wrapped.
  const all = new Proxy(read, { get: (tables, name: string) => (tables as Record<string, object>)[name] ?? {} })
  const memory = new RoutingMemory({ clock, reach, exact: () => exact })
  const changes = busChanges(localBus())
  memory.heed(changes)
  const tables = memory.over({ read: all } as unknown as Store).read
  const setAway = (away: boolean): void => void (awaySince = away ? clock.elapsed() : undefined)
  return { clock, memory, changes, tables, asked, setAway }
}

const away = { name: 'StoreUnavailable' }

test('queries the database while it answers, and serves the last answer for five minutes during an outage', async () => {
  const { clock, tables, asked, setAway } = openMemory()
  await tables.devices.find(account, 'e0')
  await clock.advance(1)
  assert.deepEqual(await tables.devices.find(account, 'e0'), { accountId: account, name: `${account}/e0` })
  assert.equal(asked.length, 2)
  setAway(true)
  assert.deepEqual(await tables.devices.find(account, 'e0'), { accountId: account, name: `${account}/e0` })
  await assert.rejects(tables.devices.find(account, 'e1'), away, 'nobody asked for it before')
  await clock.advance(299_000)
  await tables.devices.find(account, 'e0')
  await clock.advance(2_000)
  await assert.rejects(tables.devices.find(account, 'e0'), away)
})

test('ignores timestamps when it compares queries', async () => {
  const { clock, tables, setAway } = openMemory()
  const first = await tables.devices.registrations(account, ['e0'], clock.now())
  await clock.advance(60_000)
  setAway(true)
  assert.deepEqual(await tables.devices.registrations(account, ['e0'], clock.now()), first)
  await assert.rejects(tables.devices.registrations(account, ['e1'], clock.now()), away)
})

test('serves older answers only when every change is notified', async () => {
  for (const exact of [false, true]) {
    const { clock, tables, setAway } = openMemory({ exact })
    await tables.devices.find(account, 'e0')
    await clock.advance(301_000)
    setAway(true)
    if (exact) await tables.devices.find(account, 'e0')
    else await assert.rejects(tables.devices.find(account, 'e0'), away)
  }
})

test('drops changed answers, and those without an account when their table changes', async () => {
  const { clock, memory, changes, tables, setAway } = openMemory({ exact: true })
  await tables.devices.find(account, 'e0')
  await tables.devices.find('1000001', 'e0')
  await tables.numbers.findCallable('+49')
  await tables.numbers.findCallable('+0')
  await clock.advance(1)
  changes.notify('numbers', account)
  setAway(true)
  await assert.rejects(tables.devices.find(account, 'e0'), away)
  await assert.rejects(tables.numbers.findCallable('+49'), away)
  await assert.rejects(tables.numbers.findCallable('+0'), away)
  await tables.devices.find('1000001', 'e0')
  memory.forget()
  await assert.rejects(tables.devices.find('1000001', 'e0'), away)
})

test('never serves cached balances', async () => {
  const { tables, setAway } = openMemory()
  const balances = tables.balances as unknown as { find(accountId: string): Promise<unknown> }
  await balances.find(account)
  setAway(true)
  await assert.rejects(balances.find(account), away)
})

test('returns a copy that the caller may change', async () => {
  const { tables, setAway } = openMemory()
  await tables.devices.find(account, 'e0')
  setAway(true)
  const found = (await tables.devices.find(account, 'e0')) as unknown as { name: string }
  found.name = 'another'
  assert.deepEqual(await tables.devices.find(account, 'e0'), { accountId: account, name: `${account}/e0` })
})
