import { resolve } from 'node:path'
import { bargeInStrategies, turnTakings } from '@offhook/contract/assistant/actions.ts'
import { WrongOptions, writtenOptions } from '../shared/asked.ts'
import type { Half } from './sets/recording.ts'

export const measureNames = [
  'words',
  'languages',
  'callers',
  'noises',
  'turns',
  'digits',
  'interruptions',
  'backchannels',
  'previews',
  'noise',
] as const
export type MeasureName = (typeof measureNames)[number]
/** Measures that are also available in calls. */
const callMeasures = ['turns', 'interruptions'] as const
export type TurnTaking = (typeof turnTakings)[number]
export type Strategy = (typeof bargeInStrategies)[number]

/** Options of the bench. The entries of each list are measured one after the other. */
export interface Options {
  /** Without calls. */
  direct: boolean
  half: Half
  /** Uses every n-th recording of each kind; 1: all. */
  every: number
  measures: readonly MeasureName[]
  english: readonly ('base' | 'tiny')[]
  whisper: readonly ('base' | 'small')[]
  turnTaking: readonly TurnTaking[]
  bargeIn: readonly Strategy[]
  /** Concurrent calls. */
  calls: number
  /** Folder of the operator's own recordings, and their language. */
  folder: string | undefined
  language: string
  /** ONNX files to compare with our detectors of ends of turns. */
  turnModels: readonly string[]
}

const usage = `node bench/run.ts conversation [--calls 2] [--all | --every 4] [--measures ${callMeasures.join(',')}]
node bench/run.ts conversation --direct [--every 1] [--measures ${measureNames.join(',')}]
  [--english base,tiny] [--whisper base,small] [--turn-taking ${turnTakings.join(',')}] [--barge-in ${bargeInStrategies.join(',')}]
  [--set <folder with recordings> --language en] [--held-out] [--turn-model <file.onnx>,…]`

const accepted = {
  direct: { type: 'boolean', default: false },
  all: { type: 'boolean', default: false },
  every: { type: 'string' },
  'held-out': { type: 'boolean', default: false },
  measures: { type: 'string' },
  english: { type: 'string', default: 'base' },
  whisper: { type: 'string', default: 'base' },
  'turn-taking': { type: 'string', default: 'normal' },
  'barge-in': { type: 'string', default: 'words' },
  calls: { type: 'string', default: '2' },
  set: { type: 'string' },
  language: { type: 'string', default: 'en' },
  'turn-model': { type: 'string' },
} as const

const wrong = (message: string): WrongOptions => new WrongOptions(message, usage)

export const readOptions = (argv: readonly string[]): Options => {
  const values = writtenOptions(argv, accepted, usage)
  const measures: readonly MeasureName[] = values.direct ? measureNames : callMeasures
  return {
    direct: values.direct,
    every: numberOf('every', values.every ?? (values.direct || values.all ? '1' : defaultSample)),
    half: values['held-out'] ? 'held-out' : 'development',
    measures: among('measures', values.measures ?? measures.join(','), measures),
    english: among('english', values.english, ['base', 'tiny'] as const),
    whisper: among('whisper', values.whisper, ['base', 'small'] as const),
    turnTaking: among('turn-taking', values['turn-taking'], turnTakings),
    bargeIn: among('barge-in', values['barge-in'], bargeInStrategies),
    calls: numberOf('calls', values.calls),
    folder: values.set,
    language: values.language,
    turnModels: values['turn-model']?.split(',').map((file) => resolve(file.trim())) ?? [],
  }
}

const among = <const T extends string>(option: string, written: string, known: readonly T[]): T[] => {
  const wanted = written.split(',').map((one) => one.trim())
  const unknown = wanted.filter((one) => !(known as readonly string[]).includes(one))
  if (unknown.length > 0) throw wrong(`--${option}: ${unknown.join(', ')} is none of ${known.join(', ')}`)
  return wanted as T[]
}

const numberOf = (option: string, written: string): number => {
  const number = Number(written)
  if (!Number.isInteger(number) || number < 1) throw wrong(`--${option}: ${written} is no number from 1 on`)
  return number
}

/** Calls run in real time, so they use a sample. */
const defaultSample = '4'

/** Evenly spread subset of the recordings. */
export const sampleOf = <T>(recordings: readonly T[], { every }: Pick<Options, 'every'>): T[] =>
  recordings.filter((_, nth) => nth % every === 0)
