import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminOf } from '#test/routing/flow-calls.ts'
import { aNumber, openExchange, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'

const byText = (a: string, b: string): number => a.localeCompare(b)

const mobile = '+4915112345678'

/** An external caller talks to the customer's phone. */
const talking = async (exchange: Exchange, customer: Customer): Promise<{ caller: ScriptedLeg; phone: ScriptedLeg }> => {
  const caller = await exchange.callIn(customer.number)
  const { phone } = exchange
  phone.answers()
  await exchange.seconds(10)
  return { caller, phone }
}

test('blind: plays ringback, connects the target, then notifies and hangs up the requesting phone', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  const { caller, phone } = await talking(exchange, ada)
  phone.holds(true)
  assert.deepEqual(caller.playing.length, 1, 'music')
  const { told: notified } = phone.asksTransfer({ dialled: bob.number })
  await exchange.rest()
  assert.deepEqual(notified, ['trying'])
  assert.equal(caller.playing.length, 1, 'music until it rings there')
  const target = exchange.phone
  assert.deepEqual(target.dial?.caller, { number: ada.number, name: 'Ada Lovelace', withheld: false })
  target.rings()
  assert.deepEqual(
    caller.playing.map(({ sound }) => sound),
    [{ tone: 'ringback' }],
  )
  target.answers()
  await exchange.rest()
  assert.deepEqual(notified, ['trying', 'done'])
  assert.deepEqual(phone.log, ['hangUp normal'])
  assert.deepEqual(caller.hears, [target])
  assert.deepEqual(caller.playing, [])
  await exchange.seconds(20)
  target.hangsUp()
  await exchange.rest()
  assert.equal(exchange.lastEnd?.reason, 'callee_hangup')
  assert.deepEqual([(await exchange.entry(ada)).detail.duration, (await exchange.entry(bob)).detail.duration], [10, 20])
  assert.deepEqual(
    exchange.changes.map(([what]) => what),
    ['started', 'answered', 'transferred', 'ended'],
  )
})

test('charges a transfer to an external number to the requesting phone’s account, which needs funds', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const poor = await exchange.newCustomer({ money: 0 })
  const { caller, phone } = await talking(exchange, ada)
  const { told: notified } = phone.asksTransfer({ dialled: mobile })
  await exchange.rest()
  assert.equal((await exchange.money(ada)).reserved, 990)
  exchange.phone.answers()
  await exchange.seconds(90)
  assert.deepEqual(notified, ['trying', 'done'])
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual(await exchange.money(ada), { spent: 2 * 990, reserved: 0 })
  assert.equal((await exchange.entry(ada)).detail.duration, 100, 'who pays is in it until the end')

  const other = await talking(exchange, poor)
  assert.deepEqual(other.phone.asksTransfer({ dialled: mobile }).told, ['trying'])
  const refused = other.phone.asksTransfer({ dialled: mobile })
  assert.deepEqual(refused.told, ['not_acceptable'], 'one at a time')
  await exchange.rest()
  assert.deepEqual(other.caller.hears, [other.phone])
})

test('keeps the two connected when a transfer fails, and does not call forbidden targets', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const { caller, phone } = await talking(exchange, ada)
  phone.holds(true)
  const notified: unknown[] = []
  for (const dialled of ['0900 1234567', '112', 'nonsense']) {
    const attempt = phone.asksTransfer({ dialled })
    await exchange.rest()
    notified.push(attempt.told.at(-1))
    assert.deepEqual(caller.hears, [phone])
  }
  assert.deepEqual(notified, ['forbidden', 'forbidden', 'not_found'])
  assert.deepEqual(
    caller.playing.map(({ sound }) => sound),
    [{ music: 'hold' }],
    'still held',
  )
  assert.deepEqual(phone.asksTransfer({ dialled: outsideNumber }).told, ['loop'], 'three times are enough')
  assert.deepEqual(exchange.ringing, [])
  phone.holds(false)
  assert.deepEqual(caller.playing, [])
})

test('continues the call without the requesting phone if the target answers, and ends it if not', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  const first = await talking(exchange, ada)
  first.phone.asksTransfer({ dialled: bob.number })
  await exchange.rest()
  first.phone.hangsUp()
  await exchange.rest()
  assert.equal(first.caller.over, undefined)
  const target = exchange.phone
  target.answers()
  await exchange.rest()
  assert.deepEqual(first.caller.hears, [target])

  await exchange.store.write(async (tables) => {
    const [voicemail] = await tables.voicemails.listByOwner(bob.accountId, bob.line)
    await tables.voicemails.update(bob.accountId, voicemail?.id ?? '', { active: false })
  })
  const second = await talking(exchange, ada)
  second.phone.asksTransfer({ dialled: bob.number })
  await exchange.rest()
  second.phone.hangsUp()
  exchange.phone.refuses('busy', 486)
  await exchange.rest()
  assert.deepEqual(second.caller.log.at(-1), 'hangUp busy')
})

test('rejects transfers by an external party and by a phone connected to a voicemail', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const { caller } = await talking(exchange, ada)
  assert.deepEqual(caller.asksTransfer({ dialled: ada.number }).told, ['forbidden'])
  exchange.telephony.register(ada.accountId, ada.deviceId, 0)
  const bob = await exchange.newCustomer()
  const leg = await exchange.callFrom(bob, ada.number)
  assert.ok(leg.answered)
  assert.deepEqual(leg.asksTransfer({ dialled: bob.number }).told, ['not_acceptable'])
})

test('transfers to a voicemail, where the caller can leave a message', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  exchange.telephony.register(bob.accountId, bob.deviceId, 0)
  const { caller, phone } = await talking(exchange, ada)
  const { told: notified } = phone.asksTransfer({ dialled: bob.number })
  await exchange.rest()
  assert.deepEqual(notified, ['trying', 'done'])
  assert.deepEqual(caller.log, ['answer', 'play de/voicemail-greeting'])
  assert.ok(phone.over)
  await exchange.seconds(10)
  caller.hangsUp()
  await exchange.rest()
  assert.equal((await exchange.entry(bob)).type, 'VOICEMAIL')
})

test('attended: connects the two others, continues one call with both charges, and ends the other', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const { caller, phone } = await talking(exchange, ada)
  phone.holds(true)
  const second = await exchange.callFrom(ada, mobile)
  const friend = exchange.phone
  assert.deepEqual(phone.asksTransfer({ leg: second }).told, ['not_acceptable'], 'not answered yet')
  friend.answers()
  await exchange.seconds(10)
  assert.equal((await exchange.money(ada)).reserved, 990)
  const { told: notified } = phone.asksTransfer({ leg: second })
  await exchange.rest()
  assert.deepEqual(notified, ['done'])
  assert.deepEqual(caller.hears, [friend])
  assert.deepEqual(friend.hears, [caller])
  assert.deepEqual(caller.playing, [])
  for (const leg of [phone, second]) assert.equal(leg.log.at(-1), 'hangUp normal')
  assert.equal(exchange.callRouter.size, 1)
  assert.equal(exchange.lastEnd?.reason, 'transferred')
  assert.equal((await exchange.money(ada)).reserved, 990, 'still being talked on')
  await exchange.seconds(60)
  assert.equal((await exchange.money(ada)).reserved, 2 * 990)
  friend.hangsUp()
  await exchange.rest()
  assert.deepEqual(await exchange.money(ada), { spent: 2 * 990, reserved: 0 })
  assert.equal(caller.log.at(-1), 'hangUp normal')
  const entries = await exchange.history(ada)
  assert.deepEqual(entries.map(({ direction, detail }) => `${direction} ${detail.duration}`).toSorted(byText), [
    'INCOMING 80',
    'OUTGOING 10',
  ])
})

test('rejects joining another account’s call', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const eve = await exchange.newCustomer()
  const victim = await talking(exchange, ada)
  const own = await talking(exchange, eve)
  assert.deepEqual(own.phone.asksTransfer({ leg: victim.phone }).told, ['forbidden'])
  assert.deepEqual(own.phone.asksTransfer({ leg: own.phone }).told, ['forbidden'])
  assert.deepEqual(victim.caller.hears, [victim.phone])
})

test('Replaces: lets another phone of the account take the place, and rejects all others', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const eve = await exchange.newCustomer()
  const deviceId = await exchange.store.write((tables) => exchange.addDevice(tables, ada.accountId, ada.userId))
  const caller = await exchange.callIn(ada.number)
  const [phone] = exchange.ringing
  phone?.answers()
  await exchange.seconds(10)
  assert.ok(phone)
  assert.deepEqual((await exchange.callFrom(eve, 'x', { replaces: phone })).log, ['hangUp forbidden'])
  assert.deepEqual((await exchange.callIn('x', { replaces: phone })).log, ['hangUp forbidden'])
  const taking = await exchange.callFrom({ ...ada, deviceId }, 'x', { replaces: phone })
  assert.deepEqual(taking.log, ['answer'])
  assert.deepEqual(caller.hears, [taking])
  assert.deepEqual(phone.log.at(-1), 'hangUp normal')
  await exchange.seconds(5)
  taking.hangsUp()
  await exchange.rest()
  assert.equal(exchange.lastEnd?.reason, 'callee_hangup')
  assert.equal((await exchange.entry(ada)).detail.duration, 15)
  assert.deepEqual((await exchange.callFrom({ ...ada, deviceId }, 'x', { replaces: phone })).log, ['hangUp not_found'])
})

test('Replaces: changes no party when the phone hangs up before it answers', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const { caller, phone } = await talking(exchange, ada)
  const { accountId, deviceId } = ada
  const taking = exchange.telephony.arrives({ kind: 'device', accountId, deviceId }, 'x', { replaces: phone })
  taking.answer = () => new Promise(() => {})
  await exchange.rest()
  taking.hangsUp()
  await exchange.rest()
  assert.deepEqual(caller.hears, [phone])
  assert.equal(phone.over, undefined)
  const late = exchange.telephony.arrives({ kind: 'device', accountId, deviceId }, 'x', { replaces: phone })
  late.answer = () => new Promise(() => {})
  await exchange.rest()
  caller.hangsUp()
  await exchange.rest()
  assert.ok(late.over, 'there is nothing to take over any more')
})

test('keeps a paying account in the call after its phone left early', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  const { caller, phone } = await talking(exchange, ada)
  phone.asksTransfer({ dialled: mobile })
  await exchange.rest()
  phone.hangsUp()
  await exchange.rest()
  exchange.phone.answers()
  await exchange.seconds(30)
  assert.equal(exchange.calls.list({ accountId: ada.accountId, admin: true } as UserCaller).length, 1)
  caller.hangsUp()
  await exchange.rest()
  assert.equal((await exchange.entry(ada)).detail.duration, 40)
})

test('counts the talk with an assistant after a transfer inside the account', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const number = '+4921155577777'
  await exchange.store.write(async (tables) => {
    await tables.flows.insert(ada.accountId, { id: 'demo', name: 'Demo', settings: {} }, 0)
    const input = aNumber(number)
    await tables.numbers.insert(ada.accountId, input)
    await tables.numbers.setRouting(ada.accountId, input.id, { flowId: 'demo' })
  })
  const { caller, phone } = await talking(exchange, ada)
  assert.deepEqual(phone.asksTransfer({ dialled: number }).told, ['trying'])
  await exchange.seconds(20)
  assert.ok(phone.over)
  caller.hangsUp()
  await exchange.rest()
  assert.equal((await exchange.entry(ada)).detail.duration, 30)
})

test('plays hold music to the new party when the other phone holds', async (t) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  const bob = await exchange.newCustomer()
  const { caller, phone } = await talking(exchange, ada)
  caller.holds(true)
  phone.asksTransfer({ dialled: bob.number })
  await exchange.rest()
  const target = exchange.phone
  target.answers()
  await exchange.rest()
  assert.deepEqual(
    target.playing.map(({ sound }) => sound),
    [{ music: 'hold' }],
  )
})

test('rejects a phone’s transfer after too many hops, and takes a held party off hold', async (t) => {
  const exchange = await openExchange(t)
  const [ada, bob] = [await exchange.newCustomer(), await exchange.newCustomer()]
  await exchange.callIn(ada.number, { hops: 5 })
  const worn = exchange.phone
  worn.answers()
  await exchange.rest()
  const { told: notified } = worn.asksTransfer({ dialled: bob.number })
  await exchange.rest()
  assert.deepEqual(notified, ['trying', 'loop'])
  worn.hangsUp()
  await exchange.rest()

  const { caller, phone } = await talking(exchange, ada)
  await exchange.calls.list(adminOf(ada))[0]?.hold(true)
  phone.asksTransfer({ dialled: bob.number })
  await exchange.rest()
  exchange.phone.answers()
  await exchange.rest()
  assert.equal(caller.log.at(-1), 'hold false')
})
