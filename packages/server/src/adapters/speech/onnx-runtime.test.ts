// test: own process
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadRuntime } from './onnx.ts'
import { runtimePackage } from './speech-runtime.ts'

test('names the missing package and the remedy on a machine without the runtime', () => {
  assert.equal(runtimePackage, 'onnxruntime-node')
  assert.throws(() => loadRuntime('@offhook/onnxruntime-plan9-mips'), {
    message: /^embedded speech needs the package @offhook\/onnxruntime-plan9-mips, .*Cannot find module.* OFFHOOK_SPEECH=off$/,
  })
})
