import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LocalHub, localBus } from '#adapters/bus/local-bus.ts'
import { busChanges } from '#core/kernel/changes/bus-changes.ts'
import { openTestStore } from '#test/store/databases.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { everyMethod } from '#test/store/every-statement.ts'
import { isRemembered, invalidatesRouting, RoutingCache } from './routing-cache.ts'

const input = { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR' } as const

/** One of several processes on one store, which counts what it asks. */
const openProcess = (store: Store, clock: VirtualClock, hub: LocalHub) => {
  const bus = localBus(hub)
  const asked: string[] = []
  const accounts: Store['read']['accounts'] = { ...store.read.accounts, find: (id) => (asked.push(id), store.read.accounts.find(id)) }
  const recent = new RoutingCache({ clock, changes: busChanges(bus), heard: () => !bus.alone && bus.connected })
  const watched = recent.watch({ ...store, read: { ...store.read, accounts } })
  return { store: watched, calls: recent.over(watched), asked, close: () => Promise.all([recent.close(), bus.close()]) }
}

test('what was asked a moment ago is not asked again, until anything that leads calls is changed, whoever does it', async (t) => {
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

test('what is not there is asked for again', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  const process = openProcess(store, new VirtualClock(), new LocalHub())
  for (let nth = 1; nth <= 2; nth++) {
    assert.equal(await process.calls.read.accounts.find('none'), undefined)
    assert.equal(process.asked.length, nth)
  }
  await process.close()
})

test('all who ask get the same answer, which nobody can change', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  const clock = new VirtualClock()
  const process = openProcess(store, clock, new LocalHub())
  const id = await store.write((tables) => createAccount(tables, clock, input))
  const [first, second] = [await process.calls.read.accounts.find(id), await process.calls.read.accounts.find(id)]
  assert.equal(first, second)
  assert.throws(() => Object.assign(first ?? {}, { company: 'Renamed' }), TypeError)
  await process.close()
})

/** Nobody leads a call by what was last wrong with the sound of a phone. */
const ofSound = ['devices.noteSound', 'devices.forgetSound']
/** Too particular about what they are given, or they say nothing on SQLite; none of them writes what calls are led by. */
const unheard = [
  'accounts.list',
  'accounts.lock',
  'attempts.take',
  'balances.spendingOf',
  'balances.leashUse',
  'balances.noteWarning',
  'balances.findEntry',
  'contacts.listVisible',
  'devices.refresh',
  'dueTimes.next',
  'history.list',
  'history.count',
  'history.findsOldText',
  'history.findByRecording',
  'jobs.name',
  'jobs.lease',
  'messages.lockRouteId',
  'metrics.keep',
  'numberStock.page',
  'outbox.name',
  'outbox.lease',
  'pushExchanges.insert',
  'pushSettings.hasAddress',
  'results.tell',
  'runningCalls.pass',
  'runningCalls.haveRecording',
  'sessions.open',
  'timelines.write',
  'usages.sums',
]

test('no method that leaves the answers as they are writes to a table that they were read from', async () => {
  const methods = [...(await everyMethod())].map(([name, said]) => {
    const [table = '', method = ''] = name.split('.')
    return { name, said, forgets: invalidatesRouting(table, method), remembered: isRemembered(table, method) }
  })
  const others = methods.filter(({ forgets }) => !forgets)
  const read = new Set(others.filter(({ remembered }) => remembered).flatMap(({ said }) => [...said.reads]))
  assert.ok(
    ['account', 'device', 'forwarding', 'parallel_forwarding', 'phone_number', 'phoneline', 'voicemail'].every((one) => read.has(one)),
  )
  const harmful = others.filter(({ said }) => [...said.writes].some((table) => read.has(table))).map(({ name }) => name)
  assert.deepEqual(harmful, ofSound)
  const silent = others.filter(({ said }) => said.reads.size + said.writes.size === 0).map(({ name }) => name)
  assert.deepEqual(silent, unheard)
})
