import { WrongOptions, writtenOptions } from '../shared/asked.ts'

/** Options of the bench. */
export interface Options {
  minutes: number
  /** Allowed growth per 1,000 calls. */
  limits: { resident: number; retained: number; descriptors: number; timers: number }
}

const usage = `node bench/run.ts soak [--minutes 60] [--max-resident 0.5] [--max-retained 0.2] [--max-descriptors 0.2] [--max-timers 0.5]
  limits are growth with each 1,000 calls: megabytes of the process, megabytes that survive a collection, open files, timers`

/** Minimum for four readings: fewer have no slope. */
const minMinutes = 8

const accepted = {
  minutes: { type: 'string', default: '60' },
  'max-resident': { type: 'string', default: '0.5' },
  'max-retained': { type: 'string', default: '0.2' },
  'max-descriptors': { type: 'string', default: '0.2' },
  'max-timers': { type: 'string', default: '0.5' },
} as const

const wrong = (message: string): WrongOptions => new WrongOptions(message, usage)

export const readOptions = (argv: readonly string[]): Options => {
  const values = writtenOptions(argv, accepted, usage)
  const limit = (name: 'max-resident' | 'max-retained' | 'max-descriptors' | 'max-timers'): number => numberFrom(0, name, values[name])
  return {
    minutes: numberFrom(minMinutes, 'minutes', values.minutes),
    limits: {
      resident: limit('max-resident'),
      retained: limit('max-retained'),
      descriptors: limit('max-descriptors'),
      timers: limit('max-timers'),
    },
  }
}

const numberFrom = (min: number, option: string, written: string): number => {
  const number = Number(written)
  if (written.trim() === '' || !(number >= min && number < Infinity)) throw wrong(`--${option}: ${written} is no number from ${min} on`)
  return number
}
