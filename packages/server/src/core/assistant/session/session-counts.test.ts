import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSession } from '#test/session/session-fixture.ts'

test("stores the session's counts in its result", async (t) => {
  const reply = ({ body }: { body: { type: string } }) => (body.type === 'user_speak' ? [{ type: 'speak', text: 'Yes' } as const] : [])
  const { fixture, caller } = await openSession(t, { reply })
  const { store } = fixture.exchange
  const callId = fixture.channel.sent[0]?.sessionId ?? ''
  const result = () => store.write(({ results }) => results.lock(callId))
  assert.equal(await result(), undefined)
  for (const text of ['one', 'two']) {
    fixture.conversation.callerSays(text)
    await fixture.seconds(2)
  }
  caller.hangsUp()
  await fixture.rest()
  const { durationMs, endReason, turns, interruptions, firstSoundMs, delivery } = (await result()) ?? assert.fail()
  assert.deepEqual([endReason, turns, interruptions, firstSoundMs, delivery], ['caller_hangup', 2, 0, 600, 'none'])
  assert.ok(durationMs !== undefined && durationMs >= 4_000)
})
