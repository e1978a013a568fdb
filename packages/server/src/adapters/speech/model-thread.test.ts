// test: own process
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { embeddedModels } from '#test/speech/embedded-models.ts'

const models = await embeddedModels('tts-de')

test('a process exits immediately, with its own exit code, while a thread loads a model', { skip: models.skip }, async (t) => {
  const model = `${await models.folderWith('tts-de')}/tts-de/de/model.onnx`
  const worker = `
    import { parentPort } from 'node:worker_threads'
    import { InferenceSession } from '${import.meta.resolve('onnxruntime-node')}'
    void InferenceSession.create('${model}', { logSeverityLevel: 3 })
    setImmediate(() => parentPort.postMessage('loaded'))
    parentPort.postMessage('loads')`
  const program = `
    import { startModelThread } from '${pathToFileURL(`${import.meta.dirname}/model-thread.ts`).href}'
    const script = new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(worker)}))
    const { worker } = startModelThread(script, 'loader', {})
    worker.on('message', (what) => { console.log(what); process.exit(7) })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const said: string[] = []
  child.stdout.on('data', (text: Buffer) => said.push(String(text)))
  const [code] = (await once(child, 'close')) as [number | null]
  assert.deepEqual([code, said], [7, ['loads\n']])
})
