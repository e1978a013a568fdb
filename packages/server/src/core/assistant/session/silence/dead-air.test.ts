import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unreachable, type Input } from '#test/session/scripted-endpoint.ts'
import { openSession, type SessionFixture } from '#test/session/session-fixture.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'

const colleague = '+4921163559999'
const english = { language: 'en-GB' } as const
const noAnswerText = 'say Sorry, nobody can be reached there at the moment.'

/** The call as a user of the account sees it. */
const viewOf = ({ exchange }: SessionFixture) => {
  const { callId = '', accountIds: [accountId = ''] = [] } = exchange.changes.at(-1)?.[1] ?? {}
  return exchange.calls.get({ kind: 'user', accountId, admin: true } as UserCaller, callId)
}

/** The endpoint transfers immediately, and the target rejects the call. */
const refusedTransfer = async (t: Parameters<typeof openSession>[0], reply: (fixture: SessionFixture) => Promise<Input[]> | Error) => {
  const settings = { ...english, transferTargets: [colleague], extendedEvents: ['transfer_failed'] } as const
  const { fixture } = await openSession(t, { settings })
  await fixture.exchange.addTrunk()
  fixture.endpoints.reply = ({ body }) => {
    if (body.type === 'user_speak') return [{ type: 'transfer', target: colleague }]
    return body.type === 'transfer_failed' ? reply(fixture) : []
  }
  fixture.conversation.callerSays('The office, please')
  await fixture.seconds(5)
  assert.deepEqual(fixture.conversation.log, ['interrupt'], 'while it rings the caller hears that')
  fixture.exchange.phone.refuses('busy')
  return fixture
}

test('plays a filler while the endpoint handles a failed transfer', async (t) => {
  const fixture = await refusedTransfer(
    t,
    ({ exchange }) => new Promise((resolve) => exchange.clock.after(3_000, () => resolve([{ type: 'speak', text: 'Busy.' }]))),
  )
  await fixture.seconds(2.5)
  assert.deepEqual(fixture.conversation.log.slice(1), ['fill Just a second.'])
  await fixture.seconds(1)
  assert.equal(fixture.conversation.log.at(-1), 'say Busy.')
})

test('announces a failed transfer that cannot be reported to the endpoint', async (t) => {
  const fixture = await refusedTransfer(t, () => unreachable())
  await fixture.seconds(1)
  assert.deepEqual(fixture.conversation.log.slice(1), [noAnswerText])
})

test('plays no filler during hold, only after the call is resumed', async (t) => {
  const { fixture } = await openSession(t, { settings: english })
  const { conversation, exchange } = fixture
  fixture.endpoints.reply = () => new Promise((resolve) => exchange.clock.after(9_000, () => resolve([])))
  conversation.callerSays('A table')
  await fixture.seconds(0.5)
  await viewOf(fixture).hold(true)
  await fixture.seconds(5)
  assert.deepEqual(conversation.log, [])
  await viewOf(fixture).hold(false)
  await fixture.seconds(0.4)
  assert.deepEqual(conversation.log, ['fill One moment, please.'])
  await fixture.seconds(5)
})

test('plays the fallback and hangs up when the answer to session_start is unreadable', async (t) => {
  const { fixture, caller } = await openSession(t, { settings: english, reply: unreachable })
  await fixture.seconds(0.1)
  assert.match(fixture.conversation.log.join(), /^say We are sorry/)
  await fixture.seconds(6)
  assert.ok(caller.over)
})
