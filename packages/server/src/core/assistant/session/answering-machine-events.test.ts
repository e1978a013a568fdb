import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openTestStore } from '#test/store/databases.ts'
import { Studio } from '#test/session/scripted-session.ts'
import { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { endByLeg, Ending } from '#core/telephone/call/state/end.ts'
import type { FlowCall } from '#core/kernel/ports/assistant/flow-runtime.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import { assistant } from './assistant.ts'

/** A flow has called somebody, who has answered. */
const callOut = async (t: TestContext, settings: FlowSettings) => {
  let studio: Studio | undefined
  t.after(() => studio?.close())
  studio = new Studio(await openTestStore(t, 'sqlite'))
  const { clock, outside } = studio.exchange
  const { accountId } = await studio.exchange.newCustomer()
  const leg = new ScriptedLeg(clock, outside)
  leg.answered = true
  const ending = new Ending()
  const call: FlowCall = {
    callId: 'call',
    accountId,
    direction: 'outbound',
    from: '+49301',
    to: '+49302',
    language: 'en',
    over: ending.over,
    answer: () => Promise.resolve(),
    hangUp: (reason) => void ending.set({ by: 'assistant', reason, cause: 'normal' }),
    transfer: () => Promise.resolve('forbidden'),
    record: () => Promise.resolve(),
    observe: () => () => {},
    observeTransfers: () => () => {},
  }
  void leg.ended.then((end) => ending.set(endByLeg('callee', end)))
  const running = assistant(studio.parts).run(call, leg, { id: 'f', name: 'Flow', settings })
  await studio.rest()
  return { studio, leg, running }
}

test('who answered stands in session_start, which waits for it, but not for long', async (t) => {
  const { studio, leg, running } = await callOut(t, { answeringMachineDetection: 'field', extendedEvents: ['machine_detected'] })
  await studio.seconds(2)
  studio.conversation.callerSays('Hello, this is the answering machine of')
  assert.deepEqual(studio.channel.types, [], 'what is said before the session began is not told')
  studio.conversation.answeredBy.resolve('machine')
  await studio.rest()
  const [start] = studio.channel.ofType('session_start')
  assert.deepEqual([start?.answered_by, start?.session.direction, start?.session.phone_number], ['machine', 'outbound', '49302'])
  studio.conversation.observer.beep()
  await studio.rest()
  assert.deepEqual(studio.channel.ofType('machine_detected')[0]?.result, 'beep')
  leg.hangsUp()
  await studio.rest()
  await running
  const [end] = await studio.ends()
  assert.equal(end?.body.type === 'session_end' && end.body.reason, 'callee_hangup')

  const slow = await callOut(t, { answeringMachineDetection: 'field' })
  await slow.studio.seconds(9.9)
  assert.deepEqual(slow.studio.channel.types, [])
  await slow.studio.seconds(0.1)
  assert.equal(slow.studio.channel.ofType('session_start')[0]?.answered_by, 'unknown')
  slow.leg.hangsUp()
  await slow.studio.rest()
  await slow.running
})

test('as an event it comes when it is known', async (t) => {
  const { studio, leg, running } = await callOut(t, { answeringMachineDetection: 'event' })
  assert.deepEqual(studio.channel.types, ['session_start'])
  studio.conversation.answeredBy.resolve('human')
  await studio.rest()
  assert.equal(studio.channel.ofType('machine_detected')[0]?.result, 'human')
  leg.hangsUp()
  await studio.rest()
  await running
})

test('who hangs up before it is known had no session', async (t) => {
  const { studio, leg, running } = await callOut(t, { answeringMachineDetection: 'field' })
  leg.hangsUp()
  await studio.rest()
  await running
  assert.deepEqual(studio.channel.types, [])
  assert.deepEqual(await studio.ends(), [])
  assert.equal(studio.exchange.clock.pending(), 0)
})
