import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { inputSamples, layer, Silero } from '#adapters/speech/vad/silero-detector.ts'
import { detectorFile } from '#adapters/speech/models/model-list.ts'
import { InferenceSession, Tensor } from '#adapters/speech/onnx.ts'
import { readWeights } from '#adapters/speech/tensors.ts'
import { embeddedModels } from '#test/speech/embedded-models.ts'
import { randomOf } from '#test/sound/spectrum.ts'

const models = await embeddedModels('tts-en')
const windowSamples = 256

test('detects the same voices with our kernels as with the model runtime', { skip: models.skip }, async () => {
  const file = join(await models.folderWith(), detectorFile)
  const silero = new Silero(readWeights(await readFile(file), 'If_0_else_branch__Inline_0__'))
  const session = await InferenceSession.create(file, { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 })
  const random = randomOf(1)
  const sound = Float32Array.from({ length: 60 * windowSamples }, (_, i) => {
    const buzz = Math.sin(i / 9) + Math.sin(i / 4.5) + Math.sin(i / 3) + Math.sin(i / 1.7)
    return 0.1 * buzz * Math.max(0, Math.sin(i / 2500)) + 0.01 * (random() - 0.5)
  })
  const state = new Float32Array(2 * layer)
  let expectedState = state.slice()
  const context = inputSamples - windowSamples
  for (let at = context; at + windowSamples <= sound.length; at += windowSamples) {
    const input = sound.slice(at - context, at + windowSamples)
    const { output, stateN } = await session.run({
      input: new Tensor('float32', input, [1, inputSamples]),
      state: new Tensor('float32', expectedState, [2, 1, layer]),
      sr: new Tensor('int64', BigInt64Array.of(8000n), []),
    })
    expectedState = Float32Array.from(stateN?.data as Float32Array)
    const probability = silero.probability(input.subarray(0, context), input.subarray(context), state)
    assert.ok(Math.abs(probability - Number(output?.data[0])) < 1e-4, `at ${at}`)
  }
  state.forEach((value, i) => assert.ok(Math.abs(value - expectedState[i]!) < 1e-3))
})
