import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import { ConversationFixture, nothingLeft } from '#test/session/conversation-fixture.ts'
import { Previews } from './previews.ts'

const thinksMs = 300
const inner = 200

/** A conversation whose endpoint answers previews after 300 ms, with the words that it heard. */
const talk = (): { fixture: ConversationFixture; previews: Previews; decided: number[] } => {
  const fixture = new ConversationFixture()
  const { conversation, clock } = fixture
  const decided: number[] = []
  let events = 0
  const previews: Previews = new Previews({
    clock,
    session: { id: 'session' } as Session,
    endpoint: {
      duplex: false,
      turn: 0,
      wants: () => true,
      withdraw: () => true,
      discarded: () => {},
      adopt: (eventId) => ({ eventId, turn: 0 }),
      tell: (body) => {
        if (body.type !== 'user_speak_preview') return
        const eventId = `event ${++events}`
        const answer: Action = { type: 'speak', session_id: 'session', text: `You said: ${body.text}` }
        clock.after(thinksMs, () => previews.replied(body.turn_token, [answer], { eventId, turn: 0 }))
      },
    },
    conversation,
    perform: (actions, { eventId }) => {
      for (const action of actions) if (action.type === 'speak') conversation.say(action, eventId)
    },
  })
  fixture.ahead = { previewed: (preview) => previews.begin(preview), tookBack: () => previews.takeBack() }
  fixture.onTold = (told) => {
    if (told.told !== 'said') return
    decided.push(clock.now())
    previews.said(told.text, () => {})
  }
  return { fixture, previews, decided }
}

test('an endpoint that thinks for 300 ms is heard within 60 ms of the end of the turn, and nothing that answers a pause is ever heard', async () => {
  const { fixture, previews, decided } = talk()
  const { caller } = fixture
  const said: string[] = []
  for (let nth = 0; nth < inner; nth++) {
    await caller.speaks(`caller ${nth} wants`, 300)
    await caller.silent(300 + ((nth * 5) % 14) * 10) // less than the 500 ms that end a turn whose words tell nothing
    await caller.speaks('something else', 300)
    await caller.silent(3500)
    said.push(`caller ${nth} wants something else`)
  }
  await caller.silent(2000)
  assert.deepEqual(
    fixture.all('said').map(({ text }) => text),
    said,
  )
  const spoken = fixture.all('spoke')
  assert.deepEqual(
    spoken.map(({ text }) => text),
    said.map((text) => `You said: ${text}`),
  )
  const late = spoken.map(({ startedAt }, index) => startedAt - (decided[index] ?? 0))
  assert.ok(Math.max(...late) <= 60, `${Math.max(...late)} ms`)
  assert.ok(fixture.tts.said.length > inner + 20, 'sound was made for pauses, too')
  previews.close()
  assert.deepEqual(await fixture.close(), nothingLeft)
})
