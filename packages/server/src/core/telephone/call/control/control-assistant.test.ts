import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addFlow, adminOf, callOut } from '#test/routing/flow-calls.ts'
import { ScriptedAssistant } from '#test/routing/scripted-assistant.ts'
import { openExchange, outsideNumber } from '#test/routing/scripted-exchange.ts'
import { openSession } from '#test/session/session-fixture.ts'
import { soundMs } from '#test/ports/scripted-leg.ts'
import type { RunningCall } from '../state/calls.ts'

const running = (calls: RunningCall[]): RunningCall => calls[0] ?? assert.fail('no call')

test('lists the assistant as a participant of inbound and outbound calls, for its account and for others', async (t) => {
  const exchange = await openExchange(t)
  await exchange.addTrunk()
  const [ada, bob] = [await exchange.newCustomer(), await exchange.newCustomer()]
  await addFlow(exchange, ada)
  const shown = (call: RunningCall) => call.status().participants.map(({ phoneNumber, owner }) => [phoneNumber, owner])
  const caller = await exchange.callFrom(bob, ada.number)
  assert.deepEqual(shown(running(exchange.calls.list(adminOf(ada)))), [
    [bob.number, false],
    [ada.number, true],
  ])
  assert.deepEqual(shown(running(exchange.calls.list(adminOf(bob)))), [
    [bob.number, true],
    [ada.number, false],
  ])
  caller.hangsUp()
  await exchange.rest()
  await callOut(exchange, ada, outsideNumber)
  exchange.phone.answers()
  await exchange.rest()
  assert.deepEqual(shown(running(exchange.calls.list(adminOf(ada)))), [
    [outsideNumber, false],
    [ada.number, true],
  ])
})

test('mutes the assistant but not the person, and unmutes the caller’s input after a transfer', async (t) => {
  const flows = new ScriptedAssistant()
  const exchange = await openExchange(t, { flows })
  const ada = await exchange.newCustomer()
  await exchange.addTrunk()
  await addFlow(exchange, ada, { transferTargets: [outsideNumber] })
  const caller = await exchange.callIn(ada.number)
  const call = running(exchange.calls.list(adminOf(ada)))
  await call.mute(true)
  assert.deepEqual([caller.inputMuted, caller.muted, call.status().muted], [true, false, true])
  assert.deepEqual(
    call.status().participants.map(({ muted }) => muted),
    [false, true],
  )
  await call.hold(true)
  await call.hold(false)
  assert.deepEqual([caller.inputMuted, call.status().muted], [true, true])
  const taken = flows.call.transfer(outsideNumber, {})
  await exchange.rest()
  exchange.phone.answers()
  assert.equal(await taken, 'taken')
  assert.equal(caller.inputMuted, false)
})

test('notifies an assistant that starts observing during hold that it has to wait', async (t) => {
  const flows = new ScriptedAssistant()
  const exchange = await openExchange(t, { flows })
  const ada = await exchange.newCustomer()
  await addFlow(exchange, ada)
  await exchange.callIn(ada.number)
  const call = running(exchange.calls.list(adminOf(ada)))
  await call.hold(true)
  const notified: boolean[] = []
  flows.call.observe((waits) => notified.push(waits))
  await call.hold(false)
  assert.deepEqual(notified, [true, false])
})

test('pauses the assistant’s timeouts during hold and announcements and restarts them afterwards', async (t) => {
  const { fixture, customer, caller } = await openSession(t, { duplex: true, settings: { timeouts: { silenceSeconds: 20 } } })
  const call = running(fixture.exchange.calls.list(adminOf(customer)))
  const asks = { type: 'speak', text: 'Question', user_input_timeout_seconds: 5 } as const
  const timeouts = (): number => fixture.channel.ofType('user_input_timeout').length
  fixture.channel.acts(asks)
  await fixture.seconds(3)
  await call.hold(true)
  assert.deepEqual(
    call.status().participants.map(({ hold }) => hold),
    [true, true],
  )
  await fixture.seconds(3600)
  const playing = call.announce(() => Promise.resolve({ wav: new Uint8Array(1) }))
  await fixture.rest()
  await playing
  await call.hold(false)
  assert.deepEqual([timeouts(), caller.over], [0, undefined])
  await fixture.seconds(soundMs / 1000 + 4)
  assert.equal(timeouts(), 0)
  await fixture.seconds(2)
  assert.equal(timeouts(), 1)
  await fixture.seconds(15)
  assert.equal(caller.over?.cause, 'normal', 'nothing is said')
})

test('records an assistant call with the person on the other side, also after a failed transfer', async (t) => {
  const flows = new ScriptedAssistant()
  const exchange = await openExchange(t, { flows })
  await exchange.addTrunk()
  const [ada, bob] = [await exchange.newCustomer(), await exchange.newCustomer()]
  await addFlow(exchange, ada, { transferTargets: [outsideNumber] })
  const caller = await exchange.callFrom(bob, ada.number)
  for (const one of [ada, bob]) await running(exchange.calls.list(adminOf(one))).record(true, { announcement: true })
  const { bridge } = caller
  assert.deepEqual([bridge?.legs, [...(bridge?.left.values() ?? [])]], [[caller], [[], [caller]]])
  assert.equal(caller.announcing.length, 2)
  const refused = flows.call.transfer(outsideNumber, {})
  await exchange.rest()
  exchange.phone.refuses('busy')
  assert.equal(await refused, 'busy')
  assert.deepEqual([bridge?.legs, [...(bridge?.left.values() ?? [])]], [[caller], [[], [caller]]])
  caller.hangsUp()
  await exchange.rest()
  for (const one of [ada, bob]) assert.equal((await exchange.entry(one)).detail.recordings?.length, 1)
})
