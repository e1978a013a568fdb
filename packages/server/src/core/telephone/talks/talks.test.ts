import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { openExchange, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { transferring } from '#test/routing/transfers.ts'
import type { WebCaller } from '#core/kernel/ports/browser.ts'
import { Talks } from './talks.ts'

const nobody: WebCaller = { ringing: () => {}, answered: () => {}, held: () => {}, hears: () => {} }
const vault = { seal: String, open: String, derive: () => new Uint8Array(32) }

/** A user of the customer talks to the customer's flow. */
const talk = async (exchange: Exchange, { accountId, userId }: Customer) => {
  const { store, clock, callRouter } = exchange
  const flowId = `flow-${accountId}`
  await store.write((tables) => tables.flows.insert(accountId, { id: flowId, name: 'Reception', settings: {} }, 0))
  const leg = new ScriptedLeg(clock, exchange.outside)
  const farEnd = { leg, says: () => {}, types: () => false, presses: () => {}, hangsUp: () => leg.hangsUp() }
  const legs = { openWebLeg: () => farEnd }
  const parts = { store, clock, vault, publicUrl: () => 'http://localhost', maxSeconds: Infinity }
  const talks = new Talks({ ...parts, legs, take: (call) => callRouter.incoming(call) })
  const places: string[] = []
  const ticket = {
    talkId: randomUUID(),
    accountId,
    userId,
    flowId,
    sound: true,
    fast: false,
    draft: false,
    leave: () => void places.push('left'),
  }
  const { over } = talks.begin(ticket, nobody)
  const ends: unknown[] = []
  void over.then((end) => ends.push(end))
  await exchange.rest()
  return { leg, ends, places, callId: ticket.talkId }
}

const open = async (t: TestContext) => {
  const exchange = await openExchange(t)
  const ada = await exchange.newCustomer()
  return { exchange, ada }
}

test('ends a talk with its call', async (t) => {
  const { exchange, ada } = await open(t)
  const { leg, ends, places } = await talk(exchange, ada)
  assert.deepEqual([leg.answered, ends, places], [true, [], []])
  leg.hangsUp()
  await exchange.rest()
  assert.deepEqual([ends.length, places], [1, ['left']])
  assert.equal(exchange.lastEnd?.reason, 'caller_hangup')
})

test('keeps a talk alive until its leg ends when a phone joins it with another call', async (t) => {
  const { exchange, ada } = await open(t)
  const outsideNumber = await exchange.callIn(ada.number)
  const first = exchange.phone
  first.answers()
  await exchange.rest()
  const { leg, ends, places, callId } = await talk(exchange, ada)
  transferring(exchange, ada, callId, { phoneNumber: ada.number })
  await exchange.rest()
  const second = exchange.phone
  second.answers()
  await exchange.rest()
  assert.deepEqual(leg.hears, [second])

  first.asksTransfer({ leg: second })
  await exchange.rest()
  assert.deepEqual(leg.hears, [outsideNumber])
  assert.deepEqual([ends, places], [[], []], 'the first of their calls is over, but not the talk')
  outsideNumber.hangsUp()
  await exchange.rest()
  assert.deepEqual([leg.over?.by, places], ['us', ['left']])
  assert.deepEqual(
    ends.map((end) => (end as { reason: string }).reason),
    ['transferred'],
  )
})
