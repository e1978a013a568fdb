import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingSpeechRuntime } from './speech-runtime.ts'

test('models run where ONNX Runtime has a library, and Macs with Intel processors are told that it has none', () => {
  for (const [platform, arch] of [
    ['linux', 'x64'],
    ['linux', 'arm64'],
    ['darwin', 'arm64'],
  ] as const)
    assert.equal(missingSpeechRuntime(platform, arch), undefined, `${platform}-${arch}`)
  assert.match(missingSpeechRuntime('darwin', 'x64') ?? '', /darwin-x64/)
})
