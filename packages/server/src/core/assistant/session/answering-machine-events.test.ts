import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openTestStore } from '#test/store/databases.ts'
import { SessionFixture } from '#test/session/session-fixture.ts'
import { ScriptedLeg } from '#test/ports/scripted-leg.ts'
import { CallLife } from '#core/telephone/call/state/call-life.ts'
import { endByLeg } from '#core/telephone/call/state/end.ts'
import type { FlowCall } from '#core/kernel/ports/assistant.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import { assistant } from './run-session.ts'

/** An answered outbound call of a flow. */
const callOut = async (t: TestContext, settings: FlowSettings) => {
  let fixture: SessionFixture | undefined
  t.after(() => fixture?.close())
  fixture = new SessionFixture(await openTestStore(t, 'sqlite'))
  const { clock, outside } = fixture.exchange
  const { accountId } = await fixture.exchange.newCustomer()
  const leg = new ScriptedLeg(clock, outside)
  leg.answered = true
  const life = new CallLife({ id: 'call', clock, onFailure: assert.ifError, onEnd: () => {}, stillOurs: () => undefined })
  const call: FlowCall = {
    callId: 'call',
    sessionId: 'call',
    accountId,
    direction: 'outbound',
    from: '+49301',
    to: '+49302',
    language: 'en',
    over: life.over,
    answer: () => Promise.resolve(),
    hangUp: (reason) => life.finish({ by: 'assistant', reason, cause: 'normal' }),
    transfer: () => Promise.resolve('forbidden'),
    recordingRule: () => Promise.resolve('none'),
    record: () => Promise.resolve(),
    pauseRecording: () => {},
    asksForConsent: false,
    observe: () => () => {},
    observeTransfers: () => () => {},
    beforeHandOver: () => {},
    beforeTransfer: () => {},
  }
  void leg.ended.then((end) => life.finish(endByLeg('callee', end)))
  const running = assistant(fixture.deps).run(call, leg, { id: 'f', name: 'Flow', settings })
  await fixture.rest()
  return { fixture, leg, running }
}

test('delays session_start for answered_by, up to 10 s', async (t) => {
  const { fixture, leg, running } = await callOut(t, { answeringMachineDetection: 'field', extendedEvents: ['machine_detected'] })
  await fixture.seconds(2)
  fixture.conversation.callerSays('Hello, this is the answering machine of')
  assert.deepEqual(fixture.channel.types, [], 'what is said before the session began is not told')
  fixture.conversation.answeredBy.resolve('machine')
  await fixture.rest()
  const [start] = fixture.channel.ofType('session_start')
  assert.deepEqual([start?.answered_by, start?.session.direction, start?.session.phone_number], ['machine', 'outbound', '49302'])
  fixture.conversation.events.emit('beep')
  await fixture.rest()
  assert.deepEqual(fixture.channel.ofType('machine_detected')[0]?.result, 'beep')
  leg.hangsUp()
  await fixture.rest()
  await running
  const [end] = await fixture.ends()
  assert.equal(end?.body.type === 'session_end' && end.body.reason, 'callee_hangup')

  const slow = await callOut(t, { answeringMachineDetection: 'field' })
  await slow.fixture.seconds(9.9)
  assert.deepEqual(slow.fixture.channel.types, [])
  await slow.fixture.seconds(0.1)
  assert.equal(slow.fixture.channel.ofType('session_start')[0]?.answered_by, 'unknown')
  slow.leg.hangsUp()
  await slow.fixture.rest()
  await slow.running
})

test('sends machine_detected when the result is known', async (t) => {
  const { fixture, leg, running } = await callOut(t, { answeringMachineDetection: 'event' })
  assert.deepEqual(fixture.channel.types, ['session_start'])
  fixture.conversation.answeredBy.resolve('human')
  await fixture.rest()
  assert.equal(fixture.channel.ofType('machine_detected')[0]?.result, 'human')
  leg.hangsUp()
  await fixture.rest()
  await running
})

test('starts no session when the callee hangs up during detection', async (t) => {
  const { fixture, leg, running } = await callOut(t, { answeringMachineDetection: 'field' })
  leg.hangsUp()
  await fixture.rest()
  await running
  assert.deepEqual(fixture.channel.types, [])
  assert.deepEqual(await fixture.ends(), [])
  assert.equal(fixture.exchange.clock.pending(), 0)
})
