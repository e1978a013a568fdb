import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit, countRecords } from '#test/cluster/audit.ts'
import { parts } from '#test/cluster/cluster.ts'
import { FaultScene } from '#test/cluster/fault-scene.ts'
import { faults, type Fault, type Seen } from '#test/cluster/faults.ts'
import { needs } from '#test/peers/debian.ts'

/** `OFFHOOK_TEST_CLUSTER=short`: fewer calls and only the faults that interact most. */
const short = process.env.OFFHOOK_TEST_CLUSTER === 'short'
/** `OFFHOOK_TEST_FAULT='bus is killed'`: only the faults with these words in their names. */
const wanted = process.env.OFFHOOK_TEST_FAULT ?? ''
const size = short ? { bridges: 4, sessions: 2 } : { bridges: 14, sessions: 6 }

/** Errors of processes to print: they often explain lost calls. */
const maxErrors = 20

interface Row extends Seen {
  fault: string
  alive: string
  /** Parties that no longer hear the other although the call exists. */
  deaf: string
  p50Ms: number
  maxMs: number
  books: string
}

const run = async (scene: FaultScene, fault: Fault): Promise<{ row: Row; wrong: readonly string[] }> => {
  const before = await countRecords(scene.database)
  const calls = await scene.beginCalls()
  const vadPool = calls.flatMap((call) => call.ears)
  for (const ear of vadPool) ear.forget()
  const seen = await fault.strike(scene)
  await scene.healed()
  const alive = calls.filter(({ isAlive }) => isAlive)
  // Only sound after the fault counts.
  const hearing = await Promise.allSettled(alive.flatMap((call) => call.ears).map((ear) => ear.hearsNow()))
  const deaf = hearing.flatMap((ear) => (ear.status === 'rejected' ? [(ear.reason as Error).message] : []))
  const gaps = vadPool.map(({ gapMs }) => Math.round(gapMs)).toSorted((a, b) => a - b)
  const ended = await Promise.allSettled(alive.map((call, index) => call.hangUp(index % 2 === 1)))
  const stuck = ended.filter(({ status }) => status === 'rejected').length
  const wrong = await audit(scene.cluster, scene.database, {
    calls: before.calls + scene.placed.calls,
    sessions: before.sessions + scene.placed.sessions,
  })
  const [p50Ms, maxMs] = [gaps[Math.floor(gaps.length / 2)] ?? 0, gaps.at(-1) ?? 0]
  const row = {
    fault: fault.name,
    alive: `${alive.length} of ${calls.length}`,
    deaf: deaf.join(),
    p50Ms,
    maxMs,
    ...seen,
    books: wrong.join('; ') || 'right',
  }
  const lost = calls.length - alive.length
  const problems = [...(lost > 0 ? [`${lost} calls were lost`] : []), ...deaf, ...(stuck > 0 ? [`${stuck} calls could not be ended`] : [])]
  return { row, wrong: [...problems, ...wrong] }
}

const onlyOnce = ({ endpoint }: FaultScene): void => {
  const notified = endpoint.events.filter(({ body }) => body.type === 'session_end')
  const ends = Map.groupBy(notified, ({ body }) => body.session.id)
  const starts = new Set(endpoint.ofType('session_start').map(({ session }) => session.id))
  // A repeated delivery has the same id.
  for (const [id, times] of ends)
    assert.equal(new Set(times.map(({ headers }) => headers['x-event-id'])).size, 1, `the end of ${id} was told twice`)
  assert.deepEqual(new Set(ends.keys()), starts, 'each session has an end')
}

test('keeps calls up through faults', { timeout: 1_800_000 }, async (t) => {
  if (!(await needs(t, ...parts))) return
  const chosen = faults.filter((fault) => (fault.short || !short) && fault.name.includes(wanted))
  assert.ok(chosen.length > 0, `no fault has "${wanted}" in its name (OFFHOOK_TEST_FAULT)`)
  const scene = await FaultScene.open(t, size)
  const rows: Row[] = []
  t.after(() => {
    console.table(rows)
    for (const { name, errors } of scene.cluster.processes)
      for (const line of errors().slice(0, maxErrors)) t.diagnostic(`${name}: ${line}`)
  })
  for (const fault of chosen) {
    await t.test(fault.name, { timeout: 240_000 }, async () => {
      const { row, wrong } = await run(scene, fault)
      rows.push(row)
      assert.deepEqual(wrong, [], JSON.stringify(row))
      assert.ok(row.maxMs <= fault.maxSilenceMs, `silence of ${row.maxMs} ms`)
    })
  }
  onlyOnce(scene)
})
