import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import { openSession } from '#test/session/session-fixture.ts'
import { adminOf } from '#test/routing/flow-calls.ts'

const colleague = '+4921163559999'
const warm = { type: 'transfer', target: colleague, mode: 'warm', briefing: 'Ms Miller.' } as const

/** Offers the caller to a colleague who has answered. */
const offered = async (t: TestContext, settings: FlowSettings = {}) => {
  const transferTargets = [colleague]
  const session = await openSession(t, { duplex: true, keepsTimelines: true, settings: { language: 'en', transferTargets, ...settings } })
  const { fixture, customer } = session
  await fixture.exchange.addTrunk()
  fixture.channel.acts(warm)
  await fixture.rest()
  const { phone } = fixture.exchange
  phone.answers()
  await fixture.rest()
  const [assistant, briefing] = fixture.conversations
  assert.ok(assistant && briefing)
  const noted = async (): Promise<string[]> => {
    await fixture.seconds(1)
    const { callId } = fixture.exchange.calls.list(adminOf(customer))[0] ?? { callId: fixture.channel.sent[0]?.body.session.id ?? '' }
    const pieces = await fixture.exchange.store.read.timelines.listPieces(customer.accountId, callId, 0, 100)
    const entries = pieces.flatMap(({ entries: list }) => JSON.parse(list) as { kind: string; state?: string; by?: string }[])
    return entries.flatMap(({ kind, state, by }) => (kind === 'briefing' ? [[state, by].filter(Boolean).join(' ')] : []))
  }
  return { ...session, phone, assistant, briefing, noted }
}

const music = [{ music: 'hold' }]

test('connects caller and colleague after key 1 and ends the session as transferred', async (t) => {
  const { fixture, caller, phone, assistant, briefing, noted } = await offered(t)
  await fixture.seconds(2)
  assert.deepEqual(briefing.log.slice(0, 2), [
    'say Ms Miller.',
    'say To take it, press one, or say yes. To decline, press two, or say no. Do you take the call?',
  ])
  assert.deepEqual(
    caller.playing.map(({ sound }) => sound),
    music,
  )
  assistant.callerSays('Is somebody there?')
  phone.presses('1')
  await fixture.rest()
  assert.deepEqual([caller.playing, caller.hears, phone.hears], [[], [phone], [caller]])
  const [end] = await fixture.ends()
  assert.equal(end?.body.type === 'session_end' && end.body.reason, 'transferred')
  assert.deepEqual(fixture.channel.types, ['session_start'], 'what the caller says to the music is not for the assistant')
  assert.ok(assistant.closed && briefing.closed)
  assert.deepEqual(await noted(), ['begun', 'accepted key'])
})

test('returns the caller to the assistant and reports declined when the colleague says no', async (t) => {
  const { fixture, caller, phone, assistant, briefing, noted } = await offered(t, { extendedEvents: ['transfer_failed'] })
  await fixture.seconds(2)
  briefing.callerSays('No, thank you.', { breaksIn: false })
  await fixture.rest()
  assert.deepEqual([caller.playing, phone.over?.by, caller.over], [[], 'us', undefined])
  const [failed] = fixture.channel.ofType('transfer_failed')
  assert.deepEqual([failed?.target, failed?.cause], [colleague, 'declined'])
  assert.equal(fixture.channel.notes.at(-1)?.[1].message, 'target: the call was not taken there (declined)')
  fixture.channel.acts({ type: 'speak', text: 'Sorry' })
  await fixture.seconds(1)
  assistant.callerSays('Never mind.')
  await fixture.rest()
  assert.equal(fixture.channel.types.at(-1), 'user_speak')
  assert.deepEqual(await noted(), ['begun', 'declined voice'])
})

test('reports no_answer without a decision and informs the caller if the endpoint does not take the event', async (t) => {
  const { fixture, assistant, briefing } = await offered(t)
  await fixture.seconds(60)
  assert.ok(briefing.closed)
  assert.ok(assistant.log.includes('say Sorry, nobody can be reached there at the moment.'))
  assert.match(fixture.channel.notes.at(-1)?.[1].message ?? '', /\(no_answer\)$/)
})

test('hangs up the colleague when the caller or the assistant hangs up during the briefing', async (t) => {
  for (const by of ['caller', 'assistant']) {
    const { fixture, caller, phone, briefing } = await offered(t)
    await fixture.seconds(0.9)
    assert.equal(briefing.speaking, true)
    if (by === 'caller') caller.hangsUp()
    else fixture.channel.acts({ type: 'hangup' })
    await fixture.rest()
    assert.deepEqual([phone.over?.by, briefing.closed, fixture.exchange.telephony.alive], ['us', true, []])
  }
})

test('treats a hang-up during the briefing as declined', async (t) => {
  const { fixture, caller, phone, noted } = await offered(t, { extendedEvents: ['transfer_failed'] })
  await fixture.seconds(0.9)
  phone.hangsUp()
  await fixture.rest()
  assert.deepEqual([fixture.channel.ofType('transfer_failed')[0]?.cause, caller.over], ['declined', undefined])
  assert.deepEqual(await noted(), ['begun', 'declined hangup'])
})

test('hangs up on an answering machine if the flow enables detection', async (t) => {
  const { fixture, phone, briefing } = await offered(t, { answeringMachineDetection: 'event', extendedEvents: ['transfer_failed'] })
  assert.equal(briefing.log[0], 'detect')
  briefing.answeredBy.resolve('machine')
  await fixture.rest()
  assert.deepEqual([fixture.channel.ofType('transfer_failed')[0]?.cause, phone.over?.by], ['no_answer', 'us'])
})

test('keeps the caller when a briefing cannot start', async (t) => {
  const session = await openSession(t, { duplex: true, settings: { transferTargets: [colleague] } })
  const { fixture, caller } = session
  await fixture.exchange.addTrunk()
  fixture.channel.acts(warm)
  await fixture.rest()
  const { phone } = fixture.exchange
  const { outside, failures } = fixture.exchange
  const broken = outside.step.bind(outside)
  outside.step = (what) => {
    if (what === 'conversation.open') throw new Error('out of order')
    broken(what)
  }
  phone.answers()
  await fixture.rest()
  outside.step = broken
  assert.deepEqual([phone.over?.by, caller.over, phone.observed, failures.length], ['us', undefined, false, 1])
})

test("briefs in the flow's language, inaudible to the caller", async (t) => {
  const { fixture, assistant, briefing } = await offered(t, { language: 'fr-FR' })
  await fixture.seconds(2)
  assert.match(briefing.log[1] ?? '', /Prenez-vous cet appel/)
  assert.deepEqual(assistant.log, ['interrupt'])
  briefing.callerSays('Oui, merci.')
  await fixture.rest()
  assert.ok(briefing.closed && assistant.closed)
})
