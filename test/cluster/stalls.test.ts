import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import { doubled, heardUntilNow, silences, startProcesses, talkAt, type Processes, type Talk } from '#test/service/processes.ts'

const short = process.env.OFFHOOK_TEST_CLUSTER === 'short'
/** Milliseconds: below, at and above the silence after which a node counts as gone. */
const stalls = short ? [900] : [600, 800, 900, 1_000, 1_200, 1_600, 2_000]

/** Calls by process, as each process lists its own. */
const owned = async ({ all }: Processes): Promise<number> => {
  const nodes = await all[0]?.operator.listNodes()
  return (nodes?.items ?? []).reduce((sum, { calls }) => sum + calls, 0)
}

const passes = async (ms: number): Promise<void> => {
  const since = performance.now()
  await until('stall', () => performance.now() - since > ms || undefined)
}

test('has one owner of each call after stalls of about a second', { timeout: 600_000 }, async (t) => {
  if (!(await needs(t, 'nats-server'))) return
  const processes = await startProcesses(t, 3)
  const talks: Talk[] = []
  for (let nth = 0; nth < 4; nth++) talks.push(await talkAt(t, processes, nth % 2))
  for (const [nth, ms] of stalls.entries()) {
    const { child } = processes.all[nth % 3]?.program ?? assert.fail()
    const before = heardUntilNow(talks)
    child.kill('SIGSTOP')
    await passes(ms)
    child.kill('SIGCONT')
    const gaps = await silences(talks, before)
    t.diagnostic(
      `${ms} ms: silence ${gaps
        .map(Math.round)
        .toSorted((a, b) => a - b)
        .join(' ')} ms`,
    )
    await until('one owner each', async () => (await owned(processes)) === talks.length || undefined)
  }
  const phones = talks.flatMap(({ caller, callee }) => [caller, callee])
  assert.deepEqual(
    phones.map(doubled),
    phones.map(() => 0),
    'at no time two processes send into a call',
  )
  for (const { atCaller, atCallee } of talks) {
    await atCaller.session.end()
    assert.equal((await atCallee.ended).by, 'peer')
  }
  const entries = await until('in the history', async () => {
    const { items } = await processes.admin(1).listHistory({ userId: 'w0' })
    return items.length >= talks.length ? items : undefined
  })
  assert.equal(entries.length, talks.length)
})
