// test: slow
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import { talkSampleRate } from '@offhook/contract/v3/talks.ts'
import { holdScenario } from '@offhook/sdk/simulate/run-scenario.ts'
import type { CallersVoices } from '#adapters/speech/callers/callers-voice.ts'
import { toneSound } from '#adapters/speech/tones/tone-speech.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { endpointOf, healthy, regressions, scenarios, type Regression } from '#test/speech/regressions.ts'
import { SoundingService } from '#test/speech/sounding-service.ts'
import { openTestStore } from '#test/store/databases.ts'
import { LiveCall } from './live-call.ts'
import { spokenBy } from './live-runner.ts'

/** Callers who speak in tones, with silence instead of other people. */
const voices: CallersVoices = {
  soundOf: async (text) => resampleSound(toneSound(text), 8_000, talkSampleRate),
  babble: async () => new Int16Array(talkSampleRate),
  close: async () => {},
}

const hold = async (store: Store, { scenario: name, bot, settings }: Omit<Regression, 'name' | 'found'>): Promise<ScenarioReport> => {
  const scenario = scenarios[name]
  const flow = { language: 'en-US', fillers: { off: true }, ...settings }
  const service = new SoundingService({ store, settings: flow, reply: endpointOf(bot) })
  const call = new LiveCall(service, await spokenBy(voices, scenario, 'en-US'))
  try {
    return await service.during(holdScenario(scenario, () => call))
  } finally {
    call.close()
    await service.close()
  }
}

const wordsOf = ({ state, figures, failures, transcript }: ScenarioReport): string =>
  JSON.stringify({ state, figures, failures: failures.map(({ message }) => message), transcript }, undefined, 1)

/** Tests that find what is wrong, by name; the others with their report. */
const missedOf = async (t: TestContext, some: readonly Regression[]): Promise<string[]> => {
  const store = await openTestStore(t, 'sqlite')
  const missed: string[] = []
  for (const regression of some) {
    const report = await hold(store, regression)
    const isFound = report.state === 'failed' && report.failures.some(({ message }) => regression.found.test(message))
    if (!isFound) missed.push(`${regression.name}: ${wordsOf(report)}`)
  }
  return missed
}

for (const scenario of Object.keys(scenarios) as (keyof typeof scenarios)[])
  test(`passes a healthy assistant: ${scenario}`, async (t) => {
    const report = await hold(await openTestStore(t, 'sqlite'), { scenario, bot: healthy, settings: {} })
    assert.equal(report.state, 'passed', wordsOf(report))
  })

test('finds each of 50 seeded regressions by its figure or its words', async (t) => {
  assert.equal(regressions.length, 50)
  assert.deepEqual(await missedOf(t, regressions), [])
})
