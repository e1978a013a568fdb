import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { endpointAt, runScenario, simulate, type Endpoint, type SimulatedCall } from '@offhook/sdk'
import { readScenario } from '@offhook/sdk/scenarios/read-scenario.ts'
import { exampleSettings, featureExamples } from '#test/peers/feature-examples.ts'
import { startExample } from '#test/peers/example.ts'
import { newBot } from '#test/python/bot.ts'
import { needsPython, startPython, startPythonExample } from '#test/python/python.ts'

const folder = join(import.meta.dirname, '../../examples/python-assistant')

type Caller = (call: SimulatedCall) => Promise<void>

/** Actions of callers, by topic. */
const callers: Record<string, Caller> = {
  'a few words and a hang-up': async (call) => {
    await call.say('hello')
    await call.say('nothing')
    await call.hangUp()
  },
  'a long answer, heard to its end': async (call) => {
    await call.say('story')
    await call.say('bye')
  },
  'words that wait until others have sounded': async (call) => {
    await call.say('slowly')
    await call.say('look')
    await call.hangUp()
  },
  'answers that fail': async (call) => {
    await call.say('fail')
    await call.say('break')
    await call.say('bye')
  },
  'keys, silence and a person': async (call) => {
    await call.press('12#')
    await call.wait(12)
    await call.say('person')
  },
}

/** The amount sent before the assistant learns of an interruption depends on timing; the amount heard does not. */
const interruptingCallers: Record<string, Caller> = {
  'a long answer, interrupted': async (call) => {
    await call.say('slowly', { listenMs: 3_000 })
    await call.say('stop')
    await call.say('bye')
  },
  'a tool that takes a while, and is interrupted': async (call) => {
    await call.say('look', { listenMs: 300 })
    await call.say('never mind')
    await call.hangUp()
  },
}

const held = async (endpoint: Endpoint<unknown>, caller: Caller) => {
  const call = await simulate(endpoint, { from: '4915700000', userInputSeconds: 10, quietMs: 60_000, patienceMs: 60_000 })
  await caller(call)
  const transcript = call.transcript.map((moment) => ({ ...moment, atMs: 0 })) // real time passes while they respond
  return { transcript, ended: call.ended, actions: call.actions.map((action) => ({ ...action, session_id: '' })) }
}

test('sends the same actions from Python and TypeScript for every caller', async (t) => {
  if (!(await needsPython(t))) return
  const inPython = endpointAt(await startPython(t, join(import.meta.dirname, '../support/python/bot.py')))
  for (const [about, caller] of Object.entries({ ...callers, ...interruptingCallers })) {
    const [python, typescript] = [await held(inPython, caller), await held(newBot(), caller)]
    assert.ok(typescript.actions.length > 5, about)
    assert.deepEqual([python.transcript, python.ended], [typescript.transcript, typescript.ended], about)
    if (about in callers) assert.deepEqual(python.actions, typescript.actions, about)
  }
})

test('passes the scenario of each feature in Python', async (t) => {
  if (!(await needsPython(t))) return
  for (const { name, hold } of featureExamples())
    assert.deepEqual(await hold(await startPythonExample(t, `features/${name}`, exampleSettings)), [], name)
})

test('holds the same conversation in the Python and TypeScript appointment lines', async (t) => {
  if (!(await needsPython(t))) return
  const file = join(folder, 'appointment.scenario.yaml')
  const scenario = readScenario(readFileSync(file, 'utf8'), file)
  const urls = [
    await startPythonExample(t, 'python-assistant', { API_KEY: 'key' }),
    await startExample(t, 'appointments', { API_KEY: 'key' }, 'assistant.ts'),
  ]
  const [python, typescript] = await Promise.all(urls.map((url) => runScenario(scenario, endpointAt(url, { apiKey: 'key' }))))
  assert.deepEqual([python?.state, python?.failures], ['passed', []])
  const words = (report: typeof python) => report?.transcript.map(({ turn, by, text, action }) => ({ turn, by, text, action }))
  assert.deepEqual(words(python), words(typescript))
  const outsideNumber = await runScenario(scenario, endpointAt(urls[0] ?? ''))
  assert.equal(outsideNumber.state, 'error')
})
