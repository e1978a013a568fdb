// test: chance
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '#test/chance/fast-check.ts'
import { agentScene } from './testing/agent-scene.ts'

const sentence = fc.array(fc.constantFrom('soup', 'the', 'cake,', 'is', 'good.', 'we', 'have', 'nine', 'tables!', 'and'), {
  minLength: 1,
  maxLength: 12,
})

/** One answer, heard whole or interrupted after `cutAfter` milliseconds. */
const turn = fc.record({
  words: sentence,
  tool: fc.boolean(),
  more: sentence,
  cutAfter: fc.option(fc.nat({ max: 8_000 }), { nil: undefined }),
})

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim()

test('the history equals the heard text word for word under random interruptions', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 6 }), async (turns) => {
      const script = turns.flatMap(({ words, tool, more }, place) => [
        {
          when: `question ${place}<`,
          say: words.join(' '),
          ...(tool && { calls: [{ name: 'look_up', arguments: { query: `${place}` } }] }),
        },
        { when: `^tool: .*found ${place}!`, say: more.join(' ') },
      ])
      const { call, model, host } = agentScene({ assistant: { knowledge: { use: 'tool' } }, script })
      host.lookUp = async (_, query) => [{ documentId: 'd', document: 'd', text: `found ${query}!`, score: 1 }]
      await call.start()
      await call.listen()
      for (const [place, { cutAfter }] of turns.entries()) {
        await call.say(`question ${place}`)
        await call.listen(cutAfter)
      }
      await call.say('the last one')
      await call.answered()
      const notified = (model.last?.body.messages ?? []).filter(({ role, content }) => role === 'assistant' && content !== null)
      assert.equal(plain(notified.map(({ content }) => content).join(' ')), plain(call.heard.join(' ')))
    }),
    { numRuns: 150 },
  )
})
