import { parseArgs } from 'node:util'
import { bargeInStrategies, turnTakings } from '@offhook/contract/assistant/actions.ts'
import type { Half } from './sets/recording.ts'

export const measureNames = ['words', 'languages', 'noises', 'turns', 'digits', 'interruptions', 'backchannels'] as const
export type MeasureName = (typeof measureNames)[number]
export type TurnTaking = (typeof turnTakings)[number]
export type Strategy = (typeof bargeInStrategies)[number]

/** What the bench was asked for. Each list is measured one after the other. */
export interface Options {
  /** Without calls. */
  direct: boolean
  half: Half
  /** Every recording instead of a sample. */
  all: boolean
  measures: readonly MeasureName[]
  english: readonly ('base' | 'tiny')[]
  whisper: readonly ('base' | 'small')[]
  turnTaking: readonly TurnTaking[]
  bargeIn: readonly Strategy[]
  /** Calls at the same time. */
  calls: number
  /** Somebody's own recordings instead of ours, and their language. */
  folder: string | undefined
  language: string
}

export const usage = `node bench/run.ts conversation [--direct] [--all] [--calls 2] [--measures ${measureNames.join(',')}]
  [--english base,tiny] [--whisper base,small] [--turn-taking ${turnTakings.join(',')}] [--barge-in ${bargeInStrategies.join(',')}]
  [--set <folder with recordings> --language en] [--held-out]`

export const readOptions = (argv: readonly string[]): Options => {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      direct: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      'held-out': { type: 'boolean', default: false },
      measures: { type: 'string', default: measureNames.join(',') },
      english: { type: 'string', default: 'base' },
      whisper: { type: 'string', default: 'base' },
      'turn-taking': { type: 'string', default: 'normal' },
      'barge-in': { type: 'string', default: 'words' },
      calls: { type: 'string', default: '2' },
      set: { type: 'string' },
      language: { type: 'string', default: 'en' },
    },
  })
  return {
    direct: values.direct,
    all: values.all,
    half: values['held-out'] ? 'held-out' : 'development',
    measures: among('measures', values.measures, measureNames),
    english: among('english', values.english, ['base', 'tiny'] as const),
    whisper: among('whisper', values.whisper, ['base', 'small'] as const),
    turnTaking: among('turn-taking', values['turn-taking'], turnTakings),
    bargeIn: among('barge-in', values['barge-in'], bargeInStrategies),
    calls: atLeastOne(values.calls),
    folder: values.set,
    language: values.language,
  }
}

const among = <const T extends string>(option: string, written: string, known: readonly T[]): T[] => {
  const wanted = written.split(',').map((one) => one.trim())
  const unknown = wanted.filter((one) => !(known as readonly string[]).includes(one))
  if (unknown.length > 0) throw new Error(`--${option}: ${unknown.join(', ')} is none of ${known.join(', ')}\n${usage}`)
  return wanted as T[]
}

const atLeastOne = (written: string): number => {
  const calls = Number(written)
  if (!Number.isInteger(calls) || calls < 1) throw new Error(`--calls: ${written} is no number of calls\n${usage}`)
  return calls
}
