import { openTestSqlite } from '#test/store/test-sqlite.ts'
import { bistro, recordCalls, replayCall } from '#test/session/recorded-calls.ts'
import { seededChanges, turnOfChange } from '#test/session/seeded-changes.ts'
import { rounded } from '../shared/percentiles.ts'

/**
 * Replays calls from their timelines: calls held by the service's session in virtual time, with interruptions, keys, time-outs, tools and transfers.
 * With the same endpoint there may be no difference; with a changed endpoint the change must be found at its turn.
 * `node bench/assistant/replay.ts [calls]`.
 */
const count = Number(process.argv[2] ?? 1000)
const ends: (() => unknown)[] = []
const store = await openTestSqlite({ after: (end) => void ends.push(end) })
const calls = await recordCalls(store, count)

const startedAt = performance.now()
let differences = 0
for (const call of calls) if (await replayCall(call, bistro)) differences += 1
const replayMs = performance.now() - startedAt

const missed: string[] = []
for (const change of seededChanges) {
  const call = calls.find((one) => turnOfChange(one, change) !== undefined)
  const found = call && (await replayCall(call, change.answer))
  if (!call || found?.turn !== turnOfChange(call, change)) missed.push(change.name)
}
for (const end of ends.toReversed()) await end()

const beats = calls.flatMap(({ recorded }) => recorded.beats)
console.log(
  JSON.stringify({
    bench: 'replay',
    calls: calls.length,
    steps: beats.length - calls.length,
    interrupted: beats.filter(({ said }) => said.some(({ cut }) => cut)).length,
    differences,
    changes: seededChanges.length,
    foundAtTheirTurn: seededChanges.length - missed.length,
    missed,
    replayMsPerCall: rounded(replayMs / calls.length, 2),
  }),
)
