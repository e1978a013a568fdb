import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadRuntime } from './onnx-runtime.ts'
import { runtimePackage } from './speech-runtime.ts'

test('a machine without the runtime is told which package is missing, and what to do', () => {
  assert.equal(runtimePackage, 'onnxruntime-node')
  assert.throws(() => loadRuntime('@offhook/onnxruntime-plan9-mips'), {
    message: /^embedded speech needs the package @offhook\/onnxruntime-plan9-mips, .*Cannot find module.* OFFHOOK_SPEECH=off$/,
  })
})
