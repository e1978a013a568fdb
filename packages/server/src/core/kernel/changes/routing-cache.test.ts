// test: own process
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LocalHub, localBus } from '#adapters/bus/local-bus.ts'
import { openTestStore } from '#test/store/databases.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { everyMethod } from '#test/store/every-statement.ts'
import { busChanges } from './publish-changes.ts'
import { invalidatesRouting, invalidating, isCached } from './routing-answers.ts'
import { RoutingCache } from './routing-cache.ts'

const input = { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR' } as const

/** One of several processes on one store; counts its queries. */
const openProcess = (store: Store, clock: VirtualClock, hub: LocalHub) => {
  const bus = localBus(hub)
  const asked: string[] = []
  const accounts: Store['read']['accounts'] = { ...store.read.accounts, find: (id) => (asked.push(id), store.read.accounts.find(id)) }
  const recent = new RoutingCache({ clock, changes: busChanges(bus), heard: () => !bus.alone && bus.connected })
  const watched = recent.watch({ ...store, read: { ...store.read, accounts } })
  return { store: watched, calls: recent.over(watched), asked, close: () => Promise.all([recent.close(), bus.close()]) }
}

test('caches answers until any process changes routing data', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  const clock = new VirtualClock()
  const hub = new LocalHub()
  const [one, other] = [openProcess(store, clock, hub), openProcess(store, clock, hub)]
  const id = await store.write((tables) => createAccount(tables, clock, input))
  const company = async ({ calls }: typeof one) => (await calls.read.accounts.find(id))?.company
  assert.deepEqual([await company(one), await company(one), await company(other)], ['Example', 'Example', 'Example'])
  assert.deepEqual([one.asked.length, other.asked.length], [1, 1])
  await one.store.write((tables) => tables.nodes.remove('nobody'))
  assert.equal(await company(one), 'Example')
  assert.equal(one.asked.length, 1, 'what comes with every call leads none')
  await other.store.write((tables) => tables.accounts.update(id, { company: 'Renamed' }))
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([await company(one), await company(other)], ['Renamed', 'Renamed'])
  await clock.advance(31_000)
  await company(one)
  assert.equal(one.asked.length, 3, 'nothing counts for ever')
  await Promise.all([one.close(), other.close()])
})

test('does not cache missing rows', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  const process = openProcess(store, new VirtualClock(), new LocalHub())
  for (let nth = 1; nth <= 2; nth++) {
    assert.equal(await process.calls.read.accounts.find('none'), undefined)
    assert.equal(process.asked.length, nth)
  }
  await process.close()
})

test('returns one immutable answer to all readers', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  const clock = new VirtualClock()
  const process = openProcess(store, clock, new LocalHub())
  const id = await store.write((tables) => createAccount(tables, clock, input))
  const [first, second] = [await process.calls.read.accounts.find(id), await process.calls.read.accounts.find(id)]
  assert.equal(first, second)
  assert.throws(() => Object.assign(first ?? {}, { company: 'Renamed' }), TypeError)
  await process.close()
})

/** Routing ignores the last audio problem of a phone. */
const ofSound = ['devices.noteSound', 'devices.forgetSound']
/** Methods that need specific arguments or run no statement on SQLite; none of them writes routing data. */
const unheard = [
  'accounts.list',
  'accounts.lock',
  'attempts.take',
  'attempts.removeOlderThan',
  'balances.spendingOf',
  'balances.leashUse',
  'balances.noteWarning',
  'balances.findEntry',
  'bookings.takeCells',
  'callSearches.search',
  'contacts.listVisible',
  'devices.refresh',
  'dueTimes.next',
  'history.list',
  'history.count',
  'history.findsOldText',
  'history.findByRecording',
  'jobs.name',
  'jobs.lease',
  'jobs.renew',
  'jobs.park',
  'messages.lockRouteId',
  'numberStock.page',
  'numberStock.free',
  'outbox.name',
  'outbox.lease',
  'outbox.renew',
  'partitions.keepAhead',
  'pushSettings.hasAddress',
  'results.find',
  'results.tell',
  'runningCalls.pass',
  'runningCalls.haveRecording',
  'runningCalls.sidesOf',
  'sessions.open',
  'sessions.listOpenOfCall',
  'testRuns.reports',
  'timelines.write',
  'usages.sums',
]

/** Reads of the tables with declared writes, and registrations, which are queried each time. A method of another name counts as a write. */
const harmless =
  /^(find|list|has|is|lock|hold|count|page|names|widths|colleagues|features|languages|members|devices|greetings|events|callerIds|forwardedFrom|outboundReviews|register|unregister|refresh|moveRegistrations|registrations|registeredFlows|phonelines|groups)/
/** Writes of these tables that no cached answer shows. */
const withoutAnswer = [
  ...ofSound,
  'portings.appendEvent',
  'smsLines.awaitCode',
  'smsLines.markVerified',
  'smsLines.removeCallerId',
  'smsLines.setDefault',
  'smsLines.takeTry',
]

test('declares every write that changes a cached answer', async () => {
  const methods = [...(await everyMethod())].map(([name, said]) => {
    const [table = '', method = ''] = name.split('.')
    return { name, said, table, method, declared: invalidatesRouting(table, method), cached: isCached(table, method) }
  })
  const others = methods.filter(({ declared }) => !declared)
  const read = new Set(others.filter(({ cached }) => cached).flatMap(({ said }) => [...said.reads]))
  assert.ok(
    ['account', 'device', 'forwarding', 'parallel_forwarding', 'phone_number', 'phoneline', 'voicemail'].every((one) => read.has(one)),
  )
  const undeclared = others.filter(({ said }) => [...said.writes].some((table) => read.has(table))).map(({ name }) => name)
  assert.deepEqual(undeclared, ofSound)
  const unknown = others.filter(({ table, method }) => table in invalidating && !harmless.test(method)).map(({ name }) => name)
  assert.deepEqual(unknown.toSorted(), withoutAnswer.toSorted())
  const silent = others.filter(({ said }) => said.reads.size + said.writes.size === 0).map(({ name }) => name)
  assert.deepEqual(silent, unheard)
})
