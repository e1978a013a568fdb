// test: own process
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { vadConformance, type OpenedVad } from '#test/conformance/vad.ts'
import { embeddedModels } from '#test/speech/embedded-models.ts'
import { readRecordedSpeech, recordedWords } from '#test/speech/recorded-speech.ts'
import type { Vad } from '#core/kernel/ports/speech.ts'
import { SampleRing } from '#media/thread/sample-ring.ts'
import { sine } from '#media/sound/tone.ts'
import { openVadPool, type VadPoolOptions } from './vad-pool.ts'

const opened = (options: Omit<VadPoolOptions, 'onDied'>): OpenedVad => {
  const vadPool = openVadPool({ ...options, onDied: (error) => assert.fail(`it died: ${error?.stack}`) })
  return { vad: vadPool, close: () => vadPool.close() }
}

const models = await embeddedModels('vad')
const model = join(await models.folderWith('vad'), 'vad', 'silero_vad_v6.onnx')

vadConformance({
  name: 'Silero',
  open: () => opened({ detector: 'silero', model }),
  // Sentences spoken without a pause.
  voices: async () => (await readRecordedSpeech()).filter((_, i) => [6, 10, 16, 22, 30].includes(i)).map(({ samples }) => samples),
  skip: models.skip || (!existsSync(recordedWords) && process.env.CI !== 'true' && 'asterisk-core-sounds-en-wav is not installed'),
})

vadConformance({
  name: 'the energy detector',
  open: () => opened({ detector: 'energy' }),
  voices: () => [
    sine([400, 1900], 1200, 8000),
    sine([500, 1800], 1100, 8000),
    sine([600, 1700], 1300, 8000),
    sine([650, 2100], 1500, 8000),
  ],
  takesTonesForSpeech: true,
})

const openMortal = (t: TestContext, options: Omit<VadPoolOptions, 'onDied'>) => {
  const deaths: string[] = []
  const vadPool = openVadPool({ ...options, onDied: (error) => void deaths.push(error?.message ?? '') })
  t.after(() => vadPool.close())
  return { ears: vadPool, deaths }
}

/** Resolves with the first event: speech started, or the stream was lost. */
const noticed = (vad: Vad, buffer = saying()): Promise<'started' | 'lost'> =>
  new Promise((resolve) => {
    vad.listen({ buffer, close: () => {} }, { started: () => resolve('started'), stopped: () => {}, lost: () => resolve('lost') })
  })

const saying = (): SharedArrayBuffer => {
  const ring = SampleRing.of(16_000)
  const tone = sine([600, 900], 400, 8000)
  for (let at = 0; at < tone.length; at += 160) {
    ring.write(tone.subarray(at, at + 160))
    ring.write(new Int16Array(160))
  }
  return ring.buffer
}

test('reports lost streams when the thread dies, and gives the next one a new thread', async (t) => {
  const { ears: vadPool, deaths } = openMortal(t, { detector: 'energy' })
  assert.equal(await noticed(vadPool), 'started')
  const silent = noticed(vadPool, SampleRing.of(16_000).buffer)
  assert.equal(await noticed(vadPool, new SharedArrayBuffer(3)), 'lost')
  assert.equal(await silent, 'lost')
  assert.equal(deaths.length, 1)
  assert.equal(await noticed(vadPool), 'started')
})

test('reports a missing model', async (t) => {
  const { ears: vadPool, deaths } = openMortal(t, { detector: 'silero', model: '/nowhere/silero.onnx' })
  assert.equal(await noticed(vadPool), 'lost')
  assert.match(deaths[0] ?? '', /nowhere/)
})

test('shares a thread between calls, and starts another above the limit', async (t) => {
  const { ears: vadPool } = openMortal(t, { detector: 'energy', callsPerThread: 2 })
  assert.deepEqual(
    await Promise.all(Array.from({ length: 7 }, () => noticed(vadPool))),
    Array.from({ length: 7 }, () => 'started'),
  )
})

test('closes before a prepared thread is ready', async (t) => {
  const { ears: vadPool, deaths } = openMortal(t, { detector: 'energy' })
  vadPool.prepare()
  vadPool.prepare()
  await vadPool.close()
  await vadPool.close()
  vadPool.prepare()
  assert.deepEqual(deaths, [])
})
