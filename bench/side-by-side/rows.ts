import type { Candidate } from './candidate.ts'
import { measureBeside, measureSetUp, measureStanding } from './measure.ts'
import type { Options, RowName } from './options.ts'
import type { Round } from './rounds.ts'

/** Seconds of new calls in a set-up round. */
const setUpSeconds = 8

/** Measurement and the candidates that support it. */
export interface Row {
  row: RowName
  conditions: Record<string, number | boolean>
  measure(candidate: Candidate): Promise<Round> | undefined
}

export const rowsOf = ({ rows, calls, rates }: Options): Row[] => rows.flatMap((row) => rowsNamed(row, calls, rates))

const rowsNamed = (row: RowName, calls: readonly number[], rates: readonly number[]): Row[] => {
  if (row === 'set-up') return rates.flatMap((rate) => [true, false].map((events) => setUpRow(rate, events)))
  if (row === 'assistant') return rates.map(assistantRow)
  if (row === 'bridge') return calls.flatMap((count) => [true, false].map((events) => bridgeRow(count, events)))
  return calls.map((count) => soundRow(row, count))
}

const setUpRow = (rate: number, events: boolean): Row => ({
  row: 'set-up',
  conditions: { rate, events },
  measure: (candidate) => setUp(candidate, 'bridged', { rate, events, calls: rate * setUpSeconds }),
})

const assistantRow = (rate: number): Row => ({
  row: 'assistant',
  conditions: { rate },
  measure: (candidate) => setUp(candidate, 'assistant', { rate, events: true, calls: rate * setUpSeconds }),
})

export const setUp = (
  candidate: Candidate,
  number: 'bridged' | 'assistant',
  input: { rate: number; calls: number; events: boolean },
): Promise<Round> | undefined => {
  const service = candidate.numbers[number]
  return service === undefined ? undefined : measureSetUp(candidate, { service, bridged: number === 'bridged', ...input })
}

const bridgeRow = (calls: number, events: boolean): Row => ({
  row: 'bridge',
  conditions: { calls, events },
  measure: (candidate) => standing(candidate, 'bridged', calls, events),
})

const soundRow = (row: 'play' | 'record' | 'echo', calls: number): Row => ({
  row,
  conditions: { calls },
  measure: (candidate) => (candidate.name === 'offhook' ? measureBeside(row, calls) : standing(candidate, row, calls, true)),
})

const standing = (
  candidate: Candidate,
  number: 'bridged' | 'play' | 'record' | 'echo',
  calls: number,
  events: boolean,
): Promise<Round> | undefined => {
  const service = candidate.numbers[number]
  return service === undefined ? undefined : measureStanding(candidate, { service, calls, events, bridged: number === 'bridged' })
}
