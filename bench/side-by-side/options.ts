import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { WrongOptions, writtenOptions } from '../shared/asked.ts'

export const rowNames = ['set-up', 'assistant', 'bridge', 'play', 'record', 'echo'] as const
export type RowName = (typeof rowNames)[number]

/** Options of the bench. The entries of each list are measured one after the other. */
export interface Options {
  /** Path of the Asterisk binary; without it only Offhook is measured. */
  asterisk: string | undefined
  /** Folder of its shared libraries if the system does not find them. */
  asteriskLibs: string | undefined
  rows: readonly RowName[]
  /** Concurrent standing calls. */
  calls: readonly number[]
  /** New calls per second. */
  rates: readonly number[]
  rounds: number
  /** Load average above which a round is discarded. */
  maxLoad: number
}

const usage = `node bench/run.ts side-by-side [--asterisk /path/to/asterisk] [--asterisk-libs DIR] [--calls 100,500] [--rate 25,50]
  [--rounds 5] [--rows ${rowNames.join(',')}] [--max-load ${availableParallelism()}]`

const accepted = {
  asterisk: { type: 'string' },
  'asterisk-libs': { type: 'string' },
  rows: { type: 'string', default: rowNames.join(',') },
  calls: { type: 'string', default: '100,500' },
  rate: { type: 'string', default: '25,50' },
  rounds: { type: 'string', default: '5' },
  'max-load': { type: 'string', default: String(availableParallelism()) },
} as const

const wrong = (message: string): WrongOptions => new WrongOptions(message, usage)

export const readOptions = (argv: readonly string[]): Options => {
  const values = writtenOptions(argv, accepted, usage)
  if (values['asterisk-libs'] !== undefined && values.asterisk === undefined) throw wrong('--asterisk-libs is of use with --asterisk only')
  return {
    asterisk: there('asterisk', values.asterisk),
    asteriskLibs: there('asterisk-libs', values['asterisk-libs']),
    rows: listOf('rows', values.rows, rowOf),
    calls: listOf('calls', values.calls, atMost(maxCalls)),
    rates: listOf('rate', values.rate, atMost(maxPerSecond)),
    rounds: atMost(100)('rounds', values.rounds),
    maxLoad: atMost(1000)('max-load', values['max-load']),
  }
}

/** Limit of the RTP port range: 10,000 ports, four per bridge. */
const maxCalls = 2000
/** Rate limit of a trunk. */
const maxPerSecond = 100

const there = (option: string, path: string | undefined): string | undefined => {
  if (path !== undefined && !existsSync(path)) throw wrong(`--${option}: there is no ${path}`)
  return path
}

const listOf = <T>(option: string, written: string, read: (option: string, one: string) => T): T[] =>
  written.split(',').map((one) => read(option, one.trim()))

const rowOf = (option: string, written: string): RowName => {
  const row = rowNames.find((name) => name === written)
  if (!row) throw wrong(`--${option}: ${written} is none of ${rowNames.join(', ')}`)
  return row
}

const atMost =
  (max: number) =>
  (option: string, written: string): number => {
    const number = Number(written)
    if (!Number.isInteger(number) || number < 1 || number > max) throw wrong(`--${option}: ${written} is no number from 1 to ${max}`)
    return number
  }
