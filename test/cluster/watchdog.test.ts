import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { until } from '#test/machine/peer-process.ts'
import { offhook, ourRoot, ready, said, type Program } from '#test/machine/program.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'

const spins = { NODE_OPTIONS: `--import=${join(ourRoot, 'test/support/machine/spin-at-signal.mjs')}` }

const start = async (t: TestContext): Promise<Program> => {
  const program = offhook(t, ['serve'], { OFFHOOK_DATA: await temporaryFolder(t), ...spins })
  await ready(program)
  return program
}

test('restarts a service whose main thread spins, and logs where', { timeout: 120_000 }, async (t) => {
  const program = await start(t)
  const { child, written } = program
  const at = performance.now()
  child.kill('SIGUSR2')
  const [line] = await said(program, 'stderr', /.*"main_thread_stuck".*/)
  assert.match(line, /spinForEver/)
  const lines = await until('it is ready again', () => {
    const all = written.stdout.trim().split('\n')
    return all.length > 1 ? all : undefined
  })
  t.diagnostic(`ready again after ${Math.round((performance.now() - at) / 1000)} s`)
  const { http } = JSON.parse(lines.at(-1) ?? '') as { http: string }
  assert.equal((await fetch(`${http}/health`)).status, 200)
  assert.equal(child.exitCode, null, 'in the same process')
})

test(
  'keeps a service that was suspended for longer',
  { timeout: 120_000, skip: process.env.OFFHOOK_TEST_CLUSTER === 'short' },
  async (t) => {
    const { child, written } = await start(t)
    child.kill('SIGSTOP')
    const stoppedAt = performance.now()
    await until('suspension', () => performance.now() - stoppedAt > 15_000 || undefined)
    child.kill('SIGCONT')
    const wokenAt = performance.now()
    await until('a while', () => performance.now() - wokenAt > 3_000 || undefined)
    assert.doesNotMatch(written.stderr, /main_thread_stuck/)
    assert.equal(written.stdout.trim().split('\n').length, 1)
  },
)
