import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Step } from '#test/model/scripted-model.ts'
import { agentScene, modelSettings } from './testing/agent-scene.ts'

type Limits = NonNullable<AssistantSettings['limits']>

const usage = { prompt_tokens: 900, completion_tokens: 100 }
const text = 'That is all for today. Goodbye.'

test('announces an exceeded limit and hangs up', async () => {
  const cases: [Limits, string, (scene: ReturnType<typeof agentScene>) => Promise<void>][] = [
    [{ turns: 2 }, 'turns', async () => {}],
    [{ tokens: 3_000 }, 'tokens', async () => {}],
    [{ seconds: 60 }, 'seconds', ({ clock }) => clock.advance(61_000)],
    [{}, 'tokens_per_day', async ({ host }) => void (host.mayContinue = false)],
  ]
  for (const [limits, name, before] of cases) {
    const scene = agentScene({ assistant: { limits: { ...limits, text }, result: { summary: false } }, script: [{ say: 'Yes.', usage }] })
    const { call, model } = scene
    await call.start()
    for (let turn = 1; call.actions('hangup').length === 0; turn++) {
      assert.ok(turn < 5, name)
      if (turn === 2) await before(scene)
      await call.say('Go on')
      await call.answered()
      await call.listen()
    }
    assert.equal(call.heard.at(-1), text)
    assert.equal(call.actions('speak').at(-1)?.protect, true, 'a caller who talks over it does not go on')
    assert.equal(call.ended, 'assistant_hangup')
    assert.equal(call.notes('assistant').at(-1)?.['limit'], name)
    assert.ok(model.requests.length <= 3)
  }
})

test('estimates tokens that the model does not report', async () => {
  const { call, host } = agentScene({ script: [{ say: 'Yes, of course.', usage: false }] })
  await call.start()
  await call.say('Hello')
  await call.answered()
  const [spent] = host.spent
  assert.ok(spent && spent.prompt > 100 && spent.completion > 2)
})

/** Holds a call with one question and returns its result. */
const afterCall = async (result: AssistantSettings['result'], steps: Step[]) => {
  const answer = { when: '^user: <caller', say: 'We have a table at seven.' }
  const scene = agentScene({ assistant: { ...(result && { result }) }, script: [answer, ...steps] })
  await scene.call.start()
  await scene.call.listen()
  await scene.call.say('A table for two tonight, my name is Miller')
  await scene.call.answered()
  await scene.call.listen()
  await scene.call.hangUp()
  await scene.clock.advance(100)
  const [sent] = scene.call.actions('result')
  const { session_id: _id, turn: _turn, type: _type, ...notified } = sent ?? ({} as Partial<ActionOf<'result'>>)
  return { ...scene, told: notified }
}

const fields = { type: 'object', properties: { guests: { type: 'integer' }, name: { type: 'string' } }, required: ['guests'] }
const good = {
  summary: 'Ms Miller wants a table for two.',
  outcome: 'booked',
  sentiment: 'positive',
  next_steps: ['Book it'],
  fields: { guests: 2 },
}
const input = { fields, outcomes: ['booked', 'asked'] }

test('returns summary, outcome, fields and next steps that match the schema', async () => {
  const { told: notified, model } = await afterCall(input, [{ json: good }])
  assert.deepEqual(notified, good)
  const body = model.last?.body
  assert.equal(body?.stream, false)
  assert.deepEqual((body?.response_format as { type: string } | undefined)?.type, 'json_schema')
  assert.match(
    body?.messages[1]?.content ?? '',
    /Assistant: Welcome to the bistro\.\nCaller: A table for two.*\nAssistant: We have a table at seven\./,
  )
})

test('asks once for a corrected result', async () => {
  const { told: notified, model } = await afterCall(input, [
    { say: 'Sure! ```json {"summary": "x"} ```', times: 1 },
    { when: 'does not fit', say: `Here: ${JSON.stringify(good)}` },
  ])
  assert.deepEqual(notified, good)
  assert.match(model.last?.body.messages.at(-1)?.content ?? '', /does not fit: .*required/)
})

test('reports a result that never fits or never arrives as a problem', async () => {
  assert.match((await afterCall(input, [{ say: 'I would rather not.' }])).told.problem ?? '', /no result that fits: it is not JSON/)
  assert.match((await afterCall(input, [{ fault: 'redirect' }])).told.problem ?? '', /gave no result: .*redirect/)
})

test('requests no result after a silent call, without a model, or if disabled', async () => {
  assert.deepEqual((await afterCall({ summary: false }, [])).told, {})
  const { call, model } = agentScene()
  await call.start()
  await call.hangUp()
  assert.equal(model.requests.length, 0)
  assert.equal(call.actions('result').length, 0)
})

test('aborts the model request when the caller hangs up', async () => {
  const { call, model, clock } = agentScene({
    assistant: { model: { ...modelSettings }, result: { summary: false } },
    script: [{ fault: 'stall' }],
  })
  await call.start()
  await call.say('Hello?')
  await clock.advance(100)
  await call.hangUp()
  assert.equal(model.last?.left, true)
  assert.equal(clock.pending(), 0, clock.left().join())
})
