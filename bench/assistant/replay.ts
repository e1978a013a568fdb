import { openTestSqlite } from '#test/store/test-sqlite.ts'
import { bistro, recordCalls, replayCall } from '#test/session/recorded-calls.ts'
import { seededChanges, turnOfChange } from '#test/session/seeded-changes.ts'
import { rounded } from '../shared/percentiles.ts'

/**
 * Calls that the session of the service held in virtual time, with interruptions, keys, time-outs, tools and transfers, are held again from their
 * timelines: with the same endpoint nothing may be different, with a changed one the change has to be found, at its turn.
 * `node bench/assistant/replay.ts [calls]`.
 */
const count = Number(process.argv[2] ?? 1000)
const ends: (() => unknown)[] = []
const store = await openTestSqlite({ after: (end) => void ends.push(end) })
const calls = await recordCalls(store, count)

const began = performance.now()
let differences = 0
for (const call of calls) if (await replayCall(call, bistro)) differences += 1
const replayMs = performance.now() - began

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
