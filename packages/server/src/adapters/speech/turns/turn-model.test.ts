import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { embeddedTurnDetector } from '#core/speech/turns/embedded-turn-detector.ts'
import type { Pause } from '#core/kernel/ports/assistant.ts'
import { turnDetectorConformance } from '#test/conformance/turn-detector.ts'
import { tinyMelTurnModel, tinyTurnModel } from '#test/speech/tiny-turn-model.ts'
import { TurnModel } from './turn-model.ts'

const never = new AbortController().signal
const pauseAfter = (sound: Int16Array<ArrayBuffer>): Pause => ({ text: 'word', language: 'en', sound: () => Int16Array.from(sound) })

const opened = async (bytes: Uint8Array): Promise<{ model: TurnModel; told: string[]; close: () => Promise<void> }> => {
  const folder = await mkdtemp(join(tmpdir(), 'turn-model-'))
  const file = join(folder, 'loudness.onnx')
  await writeFile(file, bytes)
  const notified: string[] = []
  const model = new TurnModel(file, (code) => void notified.push(code))
  const close = async (): Promise<void> => {
    await model.close()
    await rm(folder, { recursive: true })
  }
  return { model, told: notified, close }
}

const openedFor = async (t: TestContext, bytes: Uint8Array): Promise<{ model: TurnModel; told: string[] }> => {
  const { close, ...rest } = await opened(bytes)
  t.after(close)
  return rest
}

turnDetectorConformance({ name: 'embedded', open: () => ({ detector: embeddedTurnDetector, close: () => Promise.resolve() }) })
turnDetectorConformance({
  name: 'a model from a file',
  open: async () => {
    const { model: detector, close } = await opened(tinyTurnModel())
    return { detector, close }
  },
})

test('gives the model the last 8 seconds, padded with silence before', async (t) => {
  const { model } = await openedFor(t, tinyTurnModel('Identity'))
  assert.equal(model.name, 'loudness.onnx')
  const second = Int16Array.from({ length: 8000 }, () => 16_384)
  const { probability } = await model.judge(pauseAfter(second), never)
  assert.ok(Math.abs(probability - 0.5 / 8) < 0.001, `${probability}`)
  const long = new Int16Array(16_000 + 64_000)
  long.fill(32_767, 0, 16_000)
  long.fill(8192, 16_000)
  const { probability: ofEnd } = await model.judge({ ...pauseAfter(long), sound: (seconds) => long.slice(-seconds * 8000) }, never)
  assert.ok(Math.abs(ofEnd - 0.25) < 0.001, `${ofEnd}`)
})

test('gives a model that takes log-mel features those of the last 8 seconds, whatever their loudness', async (t) => {
  const { model } = await openedFor(t, tinyMelTurnModel())
  const tone = (amplitude: number): Int16Array<ArrayBuffer> =>
    Int16Array.from({ length: 16_000 }, (_, at) => Math.round(amplitude * Math.sin((2 * Math.PI * 500 * at) / 8_000)))
  const meanOf = async (sound: Int16Array<ArrayBuffer>): Promise<number> => {
    const { probability } = await model.judge(pauseAfter(sound), never)
    return Math.log(probability / (1 - probability))
  }
  // Silence is -10 in every band: (-10 + 4) / 4.
  assert.ok(Math.abs((await meanOf(new Int16Array(8000))) + 1.5) < 0.001)
  const loud = await meanOf(tone(16_000))
  // Computed with NumPy from the description of Whisper's features.
  assert.ok(Math.abs(loud + 0.138) < 0.01, `${loud}`)
  assert.ok(Math.abs(loud - (await meanOf(tone(4_000)))) < 0.005)
})

test('logs a file that is not a model and fails every question', async (t) => {
  const { model, told: notified } = await openedFor(t, Buffer.from('no model'))
  await assert.rejects(model.judge(pauseAfter(new Int16Array(8000)), never), /could not be loaded/)
  assert.deepEqual(notified, ['turn_model_unusable'])
})

test('fails immediately after close', async () => {
  const { model, close } = await opened(tinyTurnModel())
  await close()
  await assert.rejects(async () => model.judge(pauseAfter(new Int16Array(8000)), never), /closed/)
})
