// test: own process
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingSpeechRuntime } from './speech-runtime.ts'

test('finds the ONNX Runtime library of this machine and reports its absence on Intel Macs', () => {
  assert.equal(missingSpeechRuntime(process.platform, process.arch), undefined)
  assert.match(missingSpeechRuntime('darwin', 'x64') ?? '', /darwin-x64/)
})
