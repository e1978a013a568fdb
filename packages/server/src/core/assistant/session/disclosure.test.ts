import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { openSession, type SessionFixture } from '#test/session/session-fixture.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'

const disclosure = { type: 'speak', text: 'You talk to a machine', protect: true } as const
const lasts = disclosure.text.length * 50

/** Audit-log entries of a finished call. */
const audited = async (t: TestContext, play: (fixture: SessionFixture, caller: ScriptedLeg) => Promise<void>) => {
  const { fixture, customer, caller } = await openSession(t, { duplex: true, settings: { transferTargets: ['+49*'] } })
  await play(fixture, caller)
  caller.hangsUp()
  await fixture.seconds(1)
  const entries = await fixture.exchange.store.read.audit.list(customer.accountId, { afterSeq: 0, limit: 100 })
  return entries
    .filter(({ action }) => action === 'call.disclosure')
    .map(({ target, detail }) => [target === fixture.channel.sent[0]?.sessionId, detail])
}

test('logs a heard disclosure once in the audit log', async (t) => {
  const entries = await audited(t, async (fixture) => {
    fixture.channel.acts(disclosure, disclosure)
    await fixture.seconds(0.3)
    fixture.conversation.callerSays('Hello?')
    await fixture.seconds(5)
  })
  assert.deepEqual(entries, [[true, { completed: true, playedMs: lasts }]])
})

test('logs why a disclosure was not heard: hang-up, transfer, or never begun', async (t) => {
  const cut = await audited(t, async (fixture) => {
    fixture.channel.acts(disclosure)
    await fixture.seconds(0.5)
  })
  assert.deepEqual(cut, [[true, { completed: false, playedMs: 500, reason: 'caller_hangup' }]])
  const transferred = await audited(t, async (fixture) => {
    fixture.channel.acts(disclosure)
    await fixture.seconds(0.5)
    fixture.channel.acts({ type: 'transfer', target: '+4921163559999', now: true })
    await fixture.seconds(1)
  })
  assert.deepEqual(transferred, [[true, { completed: false, playedMs: 500, reason: 'transfer' }]])
  const never = await audited(t, async (fixture) => {
    fixture.channel.acts({ type: 'speak', text: 'Something before it' }, disclosure)
    await fixture.seconds(0.1)
  })
  assert.deepEqual(never, [[true, { completed: false, playedMs: 0, reason: 'caller_hangup' }]])
})

test('logs no disclosure for later or unprotected speech', async (t) => {
  const entries = await audited(t, async (fixture) => {
    fixture.channel.acts({ type: 'speak', text: 'Hello' })
    fixture.conversation.callerSays('Hello')
    await fixture.rest()
    fixture.channel.acts({ ...disclosure, turn: 1 })
    await fixture.seconds(3)
  })
  assert.deepEqual(entries, [])
})

test('does not count a sound that began before the turn as its answer', async (t) => {
  const { fixture } = await openSession(t, { duplex: true })
  fixture.channel.acts({ type: 'speak', text: 'A disclosure that takes its time to be heard', protect: true })
  await fixture.seconds(1.5)
  fixture.conversation.callerSays('Hello?')
  await fixture.rest()
  fixture.channel.acts({ type: 'speak', text: 'Yes.' })
  await fixture.seconds(5)
  assert.equal(fixture.turns.length, 1)
  assert.ok((fixture.turns[0]?.firstSoundMs ?? 0) > 600, 'since the caller’s last sound')
})
