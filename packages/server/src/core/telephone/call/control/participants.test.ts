import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminOf } from '#test/routing/flow-calls.ts'
import { anonymousCaller, openExchange, outsideNumber, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import { orderCall } from '#test/routing/scripted-order.ts'
import { withCode } from '#test/http/with-code.ts'
import type { RunningCall } from '../state/calls.ts'

const callOf = (exchange: Exchange, customer: Customer): RunningCall =>
  exchange.calls.list(adminOf(customer))[0] ?? assert.fail('the account sees no call')

/** Number of each participant, with a star if it belongs to the account. */
const seenBy = (exchange: Exchange, customer: Customer): string[] =>
  callOf(exchange, customer)
    .status()
    .participants.map(({ phoneNumber, owner }) => (owner ? `${phoneNumber}*` : phoneNumber))

const forward = ({ store }: Exchange, { accountId, line }: Customer, destination: string): Promise<void> =>
  store.write((tables) => tables.phonelines.replaceForwardings(accountId, line, [{ destination, timeout: 0, active: true }]))

const answer = async (exchange: Exchange): Promise<void> => {
  exchange.phone.answers()
  await exchange.rest()
}

test('shows callers the number they dialled, not the forwarding target', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const [ada, bob, carol] = [await exchange.newCustomer(), await exchange.newCustomer(), await exchange.newCustomer()]
  await forward(exchange, bob, outsideNumber)
  const outside = await exchange.callFrom(ada, bob.number)
  await answer(exchange)
  assert.deepEqual(seenBy(exchange, ada), [`${ada.number}*`, bob.number])
  assert.deepEqual(seenBy(exchange, bob), [ada.number, outsideNumber], 'who pays knows for whom')
  outside.hangsUp()
  await exchange.rest()

  await forward(exchange, bob, carol.number)
  const inside = await exchange.callFrom(ada, bob.number)
  await answer(exchange)
  assert.deepEqual(seenBy(exchange, ada), [`${ada.number}*`, bob.number])
  assert.deepEqual(seenBy(exchange, carol), [ada.number, `${carol.number}*`])
  inside.hangsUp()
})

test('shows a party chosen by another account by its dialled number', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const [ada, bob, carol] = [await exchange.newCustomer(), await exchange.newCustomer(), await exchange.newCustomer()]
  await forward(exchange, carol, outsideNumber)
  await exchange.callFrom(ada, bob.number)
  await answer(exchange)
  const transferred = callOf(exchange, bob).transfer({ userId: bob.userId, to: carol.number, attended: false, callerId: undefined })
  await exchange.rest()
  exchange.phone.rings()
  await transferred
  await answer(exchange)
  assert.deepEqual(seenBy(exchange, ada), [`${ada.number}*`, carol.number])
})

test('hides a withheld number from others only, and shows no number for an extension', async (t) => {
  const exchange = await openExchange(t)
  const [ada, bob] = [await exchange.newCustomer(), await exchange.newCustomer()]
  const shy = await exchange.callFrom(ada, bob.number, { caller: anonymousCaller })
  await answer(exchange)
  assert.deepEqual(seenBy(exchange, ada), [`${ada.number}*`, bob.number])
  assert.deepEqual(seenBy(exchange, bob), ['', `${bob.number}*`])
  shy.hangsUp()
  await exchange.rest()

  const colleague = await exchange.store.write(async (tables) => {
    const user = await exchange.addUser(tables, ada.accountId)
    return exchange.addDevice(tables, ada.accountId, user)
  })
  await exchange.callFrom(ada, colleague)
  await answer(exchange)
  assert.deepEqual(seenBy(exchange, ada), [`${ada.number}*`, '*'])
})

test('mutes the party the account originated the call for, and rejects muting when the account has no party', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const ada = await exchange.newCustomer()
  await orderCall(exchange, ada, { caller: '+4930123456', callee: outsideNumber, deviceId: ada.deviceId })
  const { phone: caller } = exchange
  await answer(exchange)
  await answer(exchange)
  const call = callOf(exchange, ada)
  assert.deepEqual(seenBy(exchange, ada), [`${ada.number}*`, outsideNumber])
  await call.mute(true)
  assert.deepEqual([caller.muted, call.status().muted], [true, true])
  await call.hangUp()

  await forward(exchange, ada, outsideNumber)
  await exchange.callIn(ada.number)
  await answer(exchange)
  const passedOn = callOf(exchange, ada)
  await assert.rejects(passedOn.mute(true), withCode('conflict'))
  await passedOn.mute(false)
  assert.equal(passedOn.status().muted, false)
})
