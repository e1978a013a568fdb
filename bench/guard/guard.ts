import { readFile, writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { processCpuMs } from '../shared/process-cpu.ts'
import { inScope } from '../shared/scope.ts'
import { callRound, requestRound, startPackets, startService, type Round } from './costs.ts'
import { doPiece } from './fixed-work.ts'
import { best, cheaperOf, limitsFor, limitsOf, verdict, type Costs, type Line } from './verdict.ts'

/**
 * Guards the cost of calls, packets and requests: CPU time relative to a fixed unit of work in the same run, so that the machine's speed does not
 * matter and a doubled cost is noticed. Each processor type has its own limits: system calls and arithmetic do not cost the same units everywhere.
 * `node bench/guard/guard.ts`; `--set` makes the current costs the limits of this type.
 */
const limitsFile = join(import.meta.dirname, 'limits.json')
const rounds = 4
const warmUps = 2
const pieces = 30

const { values: options } = parseArgs({ options: { set: { type: 'boolean', default: false } } })

const workMs: number[] = []
const work = (): void => {
  const before = processCpuMs(process.pid)
  for (let n = 0; n < pieces; n++) doPiece()
  workMs.push((processCpuMs(process.pid) - before) / pieces)
}

/** Alternates all rows with the fixed work: a temporary slowdown of the machine affects all of them. */
const costsOf = async (rows: Record<string, Round>): Promise<Record<string, number>> => {
  const measured = Object.entries(rows).map(([row, round]) => ({ row, round, costs: [] as number[] }))
  for (let turn = 0; turn < warmUps + rounds; turn++)
    for (const { round, costs } of measured) {
      work()
      const cost = await round()
      if (cost !== undefined && turn >= warmUps) costs.push(cost)
    }
  return Object.fromEntries(measured.map(({ row, costs }) => [row, best(costs)]))
}

const callsAndRequests = async (scope: Scope): Promise<Record<string, number>> => {
  const service = await startService(scope)
  return costsOf({
    bridgedCall: callRound(scope, service, service.bridgedNumber),
    assistantCall: callRound(scope, service, service.exchange.demoNumber),
    request: requestRound(service),
  })
}

const measure = async (): Promise<Costs> => {
  const ms = {
    ...(await inScope(callsAndRequests)),
    ...(await inScope(async (scope) => costsOf({ relayedPacket: await startPackets(scope) }))),
  }
  const piece = best(workMs)
  return Object.fromEntries(Object.entries(ms).map(([row, cost]) => [row, cost / piece]))
}

const measureAndJudge = async (limits: Costs): Promise<Line[]> => {
  const first = verdict(await measure(), limits)
  if (first.every(({ kept }) => kept)) return first
  // Measures again: another tenant using the machine for half a minute must not count as a regression.
  return verdict(cheaperOf(first, await measure()), limits)
}

const limits = JSON.parse(await readFile(limitsFile, 'utf8')) as Record<string, Costs>
if (options.set) {
  limits[process.arch] = limitsFor(await measure())
  await writeFile(limitsFile, `${JSON.stringify(limits, undefined, 2)}\n`)
} else {
  const lines = await measureAndJudge(limitsOf(limits, process.arch))
  for (const { row, ratio, limit, kept } of lines)
    console.log(`${kept ? 'ok' : 'TOO DEAR'} ${row}: ${ratio} pieces of work, limit ${limit}`)
  console.log(JSON.stringify({ bench: 'guard', pieceMs: Number(best(workMs).toPrecision(3)), load: loadavg()[0], rows: lines }))
  if (lines.some(({ kept }) => !kept)) process.exitCode = 1
}
