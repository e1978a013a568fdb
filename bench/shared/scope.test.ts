// test: own process
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { inScope } from './scope.ts'

test('ends in reverse order of start, also after a failure', async () => {
  const ended: number[] = []
  const work = inScope(async (scope) => {
    for (const nth of [1, 2, 3]) scope.after(() => void ended.push(nth))
    return Promise.reject(new Error('no'))
  })
  await assert.rejects(work, /no/)
  assert.deepEqual(ended, [3, 2, 1])
})

/** Two nested scopes as benches have them; after its child has ended, the outer one starts something more, and fails without ending them. */
const bench = (folder: string): string => `
  import { spawn } from 'node:child_process'
  import { once } from 'node:events'
  import { mkdirSync } from 'node:fs'
  import { rm } from 'node:fs/promises'
  import { openScope } from ${JSON.stringify(join(import.meta.dirname, 'scope.ts'))}
  const outer = openScope()
  mkdirSync(${JSON.stringify(folder)})
  outer.after(() => rm(${JSON.stringify(folder)}, { recursive: true }))
  const inner = openScope()
  outer.after(() => inner.end())
  inner.after(() => Promise.reject(new Error('it does not end well')))
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  const gone = once(child, 'exit')
  inner.after(async () => { child.kill('SIGKILL'); await gone })
  console.log(child.pid)
  await gone
  inner.after(() => console.log('and what came late'))
  throw new Error('the service is gone')`

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  test(`leaves no processes or folders behind when a bench gets ${signal}`, async (t) => {
    const folder = join(await temporaryFolder(t), 'data')
    const child = spawn(process.execPath, ['--input-type=module', '-e', bench(folder)], { stdio: ['ignore', 'pipe', 'pipe'] })
    t.after(() => child.kill('SIGKILL'))
    const [written, complaints, exited] = [text(child.stdout), text(child.stderr), once(child, 'exit')]
    await once(child.stdout, 'data')
    child.kill(signal)
    assert.deepEqual(await exited, [1, null], await complaints)
    const [pid, late] = (await written).trim().split('\n')
    assert.throws(() => process.kill(Number(pid), 0), /ESRCH/)
    assert.equal(late, 'and what came late')
    assert.equal(existsSync(folder), false)
  })
