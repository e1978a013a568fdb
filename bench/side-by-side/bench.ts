import { availableParallelism } from 'node:os'
import { runAsked } from '../shared/asked.ts'
import { openScope } from '../shared/scope.ts'
import { startAsterisk } from './asterisk.ts'
import type { Candidate } from './candidate.ts'
import { readOptions, type Options } from './options.ts'
import { startOffhook } from './offhook.ts'
import { fault, ratios, summedUp, type Round, type Sum } from './rounds.ts'
import { rowsOf, setUp, type Row } from './rows.ts'

/**
 * The same calls to Offhook and to Asterisk, alternating: exact CPU time of the whole process, with the same peers.
 * See options.ts for the options.
 */
const warmUpCalls = 300

const warmUp = async (candidate: Candidate): Promise<void> => {
  for (const number of ['bridged', 'assistant'] as const) {
    const round = await setUp(candidate, number, { rate: 50, calls: warmUpCalls, events: true })
    if (round && round.failed > 0) throw new Error(`${candidate.name}: ${round.failed} of ${warmUpCalls} calls failed (${number})`)
  }
}

/** A-B-A-B, so that other load affects both. */
const measureRow = async ({ row, conditions, ...how }: Row, candidates: readonly Candidate[], { rounds, maxLoad }: Options) => {
  const measured = new Map<string, Round[]>()
  for (let round = 0; round < rounds; round++)
    for (const candidate of candidates) {
      const one = await how.measure(candidate)
      if (!one) continue
      measured.set(candidate.name, [...(measured.get(candidate.name) ?? []), one])
      console.error(JSON.stringify({ row, ...conditions, candidate: candidate.name, thrownAway: fault(one, maxLoad), ...one }))
    }
  const sums: Record<string, Sum> = Object.fromEntries([...measured].map(([name, all]) => [name, summedUp(all, maxLoad)]))
  const { offhook, asterisk } = sums
  return { row, ...conditions, ...sums, ...(offhook && asterisk && { ratio: ratios(offhook, asterisk) }) }
}

const run = async (options: Options): Promise<void> => {
  const scope = openScope()
  try {
    const candidates = [await startOffhook(scope)]
    if (options.asterisk !== undefined) candidates.push(await startAsterisk(scope, options.asterisk, options.asteriskLibs))
    for (const candidate of candidates) await warmUp(candidate)
    const rows = []
    for (const row of rowsOf(options)) rows.push(await measureRow(row, candidates, options))
    const versions = Object.fromEntries(candidates.map(({ name, version }) => [name, version]))
    const missing = options.asterisk === undefined && { asterisk: 'not measured: no binary was given with --asterisk' }
    console.log(
      JSON.stringify({ bench: 'side-by-side', ...versions, ...missing, architecture: process.arch, cores: availableParallelism(), rows }),
    )
  } finally {
    await scope.end()
  }
}

await runAsked(() => run(readOptions(process.argv.slice(2))))
