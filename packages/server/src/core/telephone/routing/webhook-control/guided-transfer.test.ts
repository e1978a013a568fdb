import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { addFlow } from '#test/routing/flow-calls.ts'
import { ScriptedAssistant } from '#test/routing/scripted-assistant.ts'
import { openExchange, type Exchange } from '#test/routing/scripted-exchange.ts'
import { events, gather, notifications, saying, ScriptedGuide } from '#test/routing/scripted-guide.ts'
import { talking, transferring, withoutVoicemail } from '#test/routing/transfers.ts'

const mobile = '+4915112345678'

const open = async (t: TestContext) => {
  const guide = new ScriptedGuide()
  const flows = new ScriptedAssistant()
  const exchange = await openExchange(t, { guide, flows })
  await exchange.addTrunk()
  const [ada, bob] = [await exchange.newCustomer(), await exchange.newCustomer()]
  await withoutVoicemail(exchange, bob)
  return { guide, flows, exchange, ada, bob }
}

/** Event or cause, with its call id. */
const waitForNotification = async (exchange: Exchange): Promise<string[]> =>
  (await notifications(exchange)).map(({ event, cause, callId }) => `${cause ?? event} ${callId}`).toSorted()

test('transfer: notifies the new party with its own call id, and the leaving one as forwarded', async (t) => {
  const { guide, exchange, ada, bob } = await open(t)
  guide.says(ada, saying())
  guide.says(bob, saying({ kind: 'reject', reason: 'busy' }), saying())
  const caller = await exchange.callIn(ada.number)
  const phone = exchange.phone
  phone.answers()
  await exchange.rest()
  assert.deepEqual(await events(exchange), ['answer'])
  const asked = phone.asksTransfer({ dialled: bob.number })
  await exchange.rest()
  assert.deepEqual(asked.told, ['trying', 'busy'])
  assert.deepEqual(await events(exchange), ['hangup busy'], 'only for who refused')
  phone.asksTransfer({ dialled: bob.number })
  await exchange.rest()
  exchange.phone.answers()
  await exchange.rest()
  const [atAda, , atBob] = guide.asked
  assert.ok(atAda && atBob)
  assert.notEqual(atBob.callId, atAda.callId)
  assert.deepEqual([atBob.origCallId, atBob.diversion], [atAda.callId, ada.number])
  assert.deepEqual(await waitForNotification(exchange), [`answer ${atBob.callId}`, `forwarded ${atAda.callId}`])
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual(await waitForNotification(exchange), [`normalClearing ${atBob.callId}`])
})

test('notifies both calls as forwarded when a phone joins them', async (t) => {
  const { guide, exchange, ada } = await open(t)
  guide.says(ada, saying(), saying())
  const { caller, phone } = await talking(exchange, ada)
  const second = await exchange.callFrom(ada, mobile)
  exchange.phone.answers()
  await exchange.rest()
  await notifications(exchange)
  phone.asksTransfer({ leg: second })
  await exchange.rest()
  const [first, other] = guide.asked
  assert.deepEqual(await waitForNotification(exchange), [`forwarded ${first?.callId}`, `forwarded ${other?.callId}`].toSorted())
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual(await waitForNotification(exchange), [])
})

for (const completed of [true, false])
  test(`notifies each end once for a consultation whose target ${completed ? 'takes the call' : 'does not take it'}`, async (t) => {
    const { guide, exchange, ada, bob } = await open(t)
    guide.says(ada, saying())
    guide.says(bob, saying())
    const { caller, phone, callId } = await talking(exchange, ada)
    transferring(exchange, ada, callId, { phoneNumber: bob.number, attended: true })
    await exchange.rest()
    const target = exchange.phone
    target.answers()
    await exchange.rest()
    const atBob = guide.asked[1]?.callId
    assert.notEqual(atBob, callId)
    assert.deepEqual(await waitForNotification(exchange), [`answer ${callId}`, `answer ${atBob}`].toSorted())
    if (completed) phone.hangsUp()
    else target.hangsUp()
    await exchange.rest()
    assert.deepEqual(await waitForNotification(exchange), [completed ? `forwarded ${callId}` : `normalClearing ${atBob}`])
    caller.hangsUp()
    await exchange.rest()
    assert.deepEqual(await waitForNotification(exchange), [`normalClearing ${completed ? atBob : callId}`])
  })

test('transfers an assistant’s caller to a webhook that gathers keys', async (t) => {
  const { guide, flows, exchange, ada, bob } = await open(t)
  await addFlow(exchange, ada, { transferTargets: [bob.number] })
  guide.says(ada, saying())
  guide.says(bob, saying(gather()), saying())
  const caller = await exchange.callIn(ada.number)
  const forwarded = flows.call.transfer(bob.number, {})
  await exchange.rest()
  caller.presses('3')
  await exchange.rest()
  assert.deepEqual(guide.pressed, ['3'])
  exchange.phone.answers()
  await exchange.rest()
  assert.equal(await forwarded, 'taken')
  assert.equal(caller.hears.length, 1)
  assert.deepEqual(await events(exchange), ['answer', 'answer', 'hangup forwarded'])
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual(await events(exchange), ['hangup normalClearing'])
})

test('treats Hangup for a transferred call as a rejection', async (t) => {
  const { guide, exchange, ada, bob } = await open(t)
  guide.says(bob, saying({ kind: 'hangup' }))
  const { caller, phone } = await talking(exchange, ada)
  assert.deepEqual(await Promise.resolve(phone.asksTransfer({ dialled: bob.number }).told), ['trying'])
  await exchange.rest()
  assert.deepEqual(caller.hears, [phone])
  assert.deepEqual(await events(exchange), ['hangup busy'])
})
