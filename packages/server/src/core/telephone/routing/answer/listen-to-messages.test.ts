import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openExchange, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'

/** A caller leaves a message of this length in the voicemail of a customer's line. */
const leaveMessage = async (exchange: Exchange, { accountId, number }: Customer, seconds: number): Promise<string> => {
  const caller = await exchange.callIn(number)
  await exchange.seconds(4 + seconds)
  caller.hangsUp()
  await exchange.rest()
  const id = caller.recordings[0] ?? assert.fail('nothing was recorded')
  // The length identifies the played message later.
  exchange.recordings.put({ accountId, id }, new Uint8Array(seconds))
  await exchange.seconds(60)
  return id
}

const openMailbox = async (t: TestContext) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  exchange.telephony.register(ada.accountId, ada.deviceId, 0)
  return { exchange, ada }
}

/** Log of the leg since then. */
const since = (leg: ScriptedLeg, from: number): string[] => leg.log.slice(from).map((said) => said.replace('play de/', ''))

const unread = async (exchange: Exchange, of: Customer): Promise<number> =>
  (await exchange.history(of)).filter(({ type, read }) => type === 'VOICEMAIL' && !read).length

test('plays the messages at the access number, unheard and newest first, and marks them as read', async (t) => {
  const { exchange, ada } = await openMailbox(t)
  for (const seconds of [11, 12, 13]) await leaveMessage(exchange, ada, seconds)
  const [, second] = await exchange.history(ada)
  await exchange.store.write((tables) => tables.history.update(ada.accountId, second?.id ?? '', { read: true }, 1))
  const leg = await exchange.callFrom(ada, '50000')
  assert.deepEqual(
    exchange.calls.list({ kind: 'user', accountId: ada.accountId, userId: ada.userId, admin: true, scopes: [], tokenId: '' }),
    [],
  )
  await exchange.seconds(60)
  const one = (kind: string, length: number) => [kind, `play wav ${length}`, 'message-menu']
  assert.deepEqual(since(leg, 1), [
    ...one('new-message', 13),
    ...one('new-message', 11),
    ...one('heard-message', 12),
    'no-more-messages',
    'hangUp normal',
  ])
  assert.equal(await unread(exchange, ada), 0)
  const call = (await exchange.history(ada)).find(({ type }) => type === 'CALL')
  assert.deepEqual([call?.direction, call?.target, call?.status, call?.detail.callStatus], ['OUTGOING', '50000', 'PICKUP', 'SUCCESS'])
  assert.deepEqual(await exchange.money(ada), { spent: 0, reserved: 0 })
  const audit = await exchange.store.read.audit.list(ada.accountId, { afterSeq: 0, limit: 100 })
  assert.equal(audit.filter(({ action, actor }) => action === 'recording.read' && actor === `user:${ada.userId}`).length, 3)
})

test('handles the keys for repeat, next, erase and end', async (t) => {
  const { exchange, ada } = await openMailbox(t)
  const oldest = await leaveMessage(exchange, ada, 11)
  for (const seconds of [12, 13]) await leaveMessage(exchange, ada, seconds)
  const leg = await exchange.callFrom(ada, '50000')
  const press = async (key: string): Promise<string[]> => {
    const from = leg.log.length
    leg.presses(key)
    await exchange.rest()
    return since(leg, from)
  }
  assert.equal(since(leg, 0).at(-1), 'new-message')
  assert.deepEqual(await press('5'), [], 'a key that means nothing')
  assert.deepEqual(await press('1'), ['play wav 13'])
  assert.deepEqual(await press('1'), ['play wav 13'])
  assert.equal(await unread(exchange, ada), 2)
  assert.deepEqual(await press('2'), ['new-message'])
  assert.deepEqual(await press('#'), ['new-message'], 'skipped before it was said')
  assert.equal(await unread(exchange, ada), 2, 'what was not said is not heard')
  await exchange.seconds(2)
  assert.deepEqual(since(leg, 0).at(-1), 'play wav 11')
  assert.deepEqual(await press('3'), ['message-erased'])
  assert.equal(exchange.recordings.has({ accountId: ada.accountId, id: oldest }), false)
  assert.equal(await exchange.store.read.recordings.find(ada.accountId, oldest), undefined)
  assert.equal((await exchange.history(ada)).filter(({ type }) => type === 'VOICEMAIL').length, 2)
  assert.deepEqual(await press('*'), ['hangUp normal'])
})

test('plays only the user’s own messages, and only a goodbye without any', async (t) => {
  const { exchange, ada } = await openMailbox(t)
  await leaveMessage(exchange, ada, 11)
  const bob = await exchange.newCustomer()
  const leg = await exchange.callFrom(bob, '50000')
  assert.deepEqual(since(leg, 0), ['answer', 'no-more-messages'])
  await exchange.seconds(3)
  assert.equal(leg.log.at(-1), 'hangUp normal')
  const outsider = await exchange.callIn('50000')
  assert.equal(outsider.log.at(-1), 'hangUp not_found')
  assert.equal(await unread(exchange, ada), 1)
})

test('keeps a message unread when the user hangs up early, and skips one without a file', async (t) => {
  const { exchange, ada } = await openMailbox(t)
  const gone = await leaveMessage(exchange, ada, 11)
  await leaveMessage(exchange, ada, 12)
  await exchange.recordings.erase({ accountId: ada.accountId, id: gone })
  const leg = await exchange.callFrom(ada, '50000')
  await exchange.seconds(2)
  assert.equal(leg.log.at(-1), 'play wav 12')
  leg.hangsUp()
  await exchange.rest()
  assert.equal(await unread(exchange, ada), 2)
  const again = await exchange.callFrom(ada, '50000')
  await exchange.seconds(30)
  assert.deepEqual(since(again, 1), ['new-message', 'play wav 12', 'message-menu', 'no-more-messages', 'hangUp normal'])
})

test('does not take a message when space is missing', async (t) => {
  const { exchange, ada } = await openMailbox(t)
  exchange.recordings.disk.free = 1
  const caller = await exchange.callIn(ada.number)
  assert.deepEqual(caller.recordings, [])
  assert.equal(caller.log.at(-1), 'hangUp unavailable')
  const entry = await exchange.entry(ada)
  assert.deepEqual([entry.source, entry.direction, entry.detail.callStatus], [outsideNumber, 'MISSED_INCOMING', 'MISSED'])
})
