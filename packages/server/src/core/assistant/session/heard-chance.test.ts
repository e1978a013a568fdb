// test: chance
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConversationFixture, nothingLeft } from '#test/session/conversation-fixture.ts'
import { PreviewedEndpoint } from '#test/session/previewed-endpoint.ts'

const thinksMs = 300
const inner = 200

test('plays an answer that takes 300 ms within 60 ms of the end of the turn, and never an answer to a pause', async () => {
  const fixture = new ConversationFixture()
  const endpoint = new PreviewedEndpoint(fixture, thinksMs, (text) => `You said: ${text}`)
  const { caller } = fixture
  const said: string[] = []
  for (let nth = 0; nth < inner; nth++) {
    await caller.speaks(`caller ${nth} wants`, 300)
    await caller.silent(300 + ((nth * 5) % 14) * 10) // less than the 500 ms that end a turn with inconclusive words
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
  const late = spoken.map(({ startedAt }, index) => startedAt - (endpoint.turns[index]?.at ?? 0))
  assert.ok(Math.max(...late) <= 60, `${Math.max(...late)} ms`)
  assert.ok(fixture.tts.said.length > inner + 20, 'sound was made for pauses, too')
  assert.ok(endpoint.revoked.size > 20, 'and taken back')
  endpoint.close()
  assert.deepEqual(await fixture.close(), nothingLeft)
})
