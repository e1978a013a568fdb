import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { openExchange, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import { createGroup } from '#core/account/lines/group.ts'
import type { BlfEntry, BlfState, Watcher } from '#core/kernel/ports/calls.ts'
import { accountBlf } from './account-blf.ts'
import { Watchers } from '#core/kernel/watchers.ts'

interface Watching {
  exchange: Exchange
  ada: Customer
  /** Second phone in Ada's account; it has no line and only watches BLF and MWI. */
  watcher: Watcher
  find: (kind: 'messages' | 'calls', name: string) => Promise<BlfEntry | undefined>
}

const watching = async (t: TestContext): Promise<Watching> => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const { accountId } = ada
  const username = `watcher-${randomUUID()}`
  const deviceId = await exchange.store.write(async (tables) => {
    const owner = await exchange.addUser(tables, accountId)
    const id = await exchange.addDevice(tables, accountId, owner)
    await tables.devices.setSipCredentials(accountId, id, { username, passwordSealed: 'sealed' })
    return id
  })
  const { occupancy } = exchange.callRouter
  const blf = accountBlf({ store: exchange.store, occupancy, messageWaiting: new Watchers() })
  const watcher = { accountId, deviceId, username }
  return { exchange, ada, watcher, find: (kind, name) => blf.find(watcher, kind, name) }
}

const callsOf = (state: BlfState | undefined): string[] =>
  state?.kind === 'calls' ? state.calls.map((call) => `${call.direction} ${call.state}`) : assert.fail('no calls')

test('shows a call on the BLF of a phone, its line and its group from the first ring to the end', async (t) => {
  const { exchange, ada, find } = await watching(t)
  const { accountId, userId } = ada
  const input = { alias: 'Team', strategy: 'PARALLEL', ringSeconds: 15, members: [userId] } as const
  const group = await exchange.store.write((tables) => createGroup(tables, exchange.clock, accountId, input))
  const blf = await Promise.all(
    [ada.deviceId, `${accountId}${ada.deviceId}`, ada.line, group, ada.number].map((name) => find('calls', name)),
  )
  let changes = 0
  const ends = blf.map((blfEntry) => blfEntry?.watch(() => changes++) ?? assert.fail('nothing to watch'))
  const shows = async (...expected: string[]): Promise<void> => {
    for (const blfEntry of blf) assert.deepEqual(callsOf(await blfEntry?.state()), expected)
  }
  await shows()

  const caller = await exchange.callIn(ada.number)
  await shows()
  exchange.phone.rings()
  await exchange.rest()
  await shows('incoming ringing')
  exchange.phone.answers()
  await exchange.rest()
  await shows('incoming talking')
  assert.equal(changes, 2 * blf.length, 'between ringing and talking it is never free')
  caller.hangsUp()
  await exchange.rest()
  await shows()
  for (const end of ends) end()
  assert.equal(changes, 3 * blf.length)

  await exchange.addTrunk()
  const outgoing = await exchange.callFrom(ada, outsideNumber)
  await shows('outgoing calling')
  exchange.phone.answers()
  await exchange.rest()
  await shows('outgoing talking')
  outgoing.hangsUp()
  await exchange.rest()
  await shows()
  assert.equal(changes, 3 * blf.length, 'no watch is left')
})

test('shows a phone as free after the caller hangs up or the phone rejects the call', async (t) => {
  const { exchange, ada, find } = await watching(t)
  const blfEntry = await find('calls', ada.deviceId)
  const caller = await exchange.callIn(ada.number)
  exchange.phone.rings()
  await exchange.rest()
  assert.deepEqual(callsOf(await blfEntry?.state()), ['incoming ringing'])
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual(callsOf(await blfEntry?.state()), [])
  await exchange.callIn(ada.number)
  exchange.phone.rings()
  await exchange.rest()
  exchange.phone.refuses('busy', 486)
  await exchange.rest()
  assert.deepEqual(callsOf(await blfEntry?.state()), [])
})

test('finds only extensions of the own account, and only messages of the own user', async (t) => {
  const { exchange, ada, watcher, find } = await watching(t)
  const other = await exchange.newCustomer()
  const [voicemail] = await exchange.store.read.voicemails.listByOwner(ada.accountId, ada.line)
  for (const name of [other.number, `${other.accountId}${other.deviceId}`, 'e99', 'p99', 'nobody', '', '110', outsideNumber])
    assert.equal(await find('calls', name), undefined, name)
  for (const name of [voicemail?.id ?? '?', ada.line, 'v99', ada.deviceId]) assert.equal(await find('messages', name), undefined, name)
  for (const name of ['', '50000', watcher.username, watcher.deviceId]) assert.ok(await find('messages', name), name)
})

test('stops reporting state to a removed device', async (t) => {
  const { exchange, ada, watcher, find } = await watching(t)
  const blf = await Promise.all([find('calls', ada.deviceId), find('messages', '')])
  for (const blfEntry of blf) assert.ok(await blfEntry?.state())
  await exchange.store.write((tables) => tables.devices.remove(watcher.accountId, watcher.deviceId, exchange.clock.now()))
  for (const blfEntry of blf) assert.equal(await blfEntry?.state(), undefined)
})
