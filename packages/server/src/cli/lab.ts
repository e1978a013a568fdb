import { readFile } from 'node:fs/promises'
import type { LabLabel, LabReport, LabWish, LabSettings } from '@offhook/contract/v2/lab.ts'
import { chooseCall } from './connection/choose-call.ts'
import { connect, inWords, type ConnectionOptions } from './connection/connection.ts'
import { linesOf } from './lab/lines.ts'
import { Mistake } from './terminal/mistake.ts'

export interface LabOptions extends ConnectionOptions {
  set?: string[]
  /** A file with labels. */
  turns?: string
  language?: string
  json?: boolean
}

/** Simulates other settings: on a call of the service, or on a local recording without a service. */
export const lab = async (what: string, options: LabOptions): Promise<void> => {
  const labels = options.turns === undefined ? undefined : await readLabels(options.turns)
  const input: LabWish = { variants: variantsOf(options.set ?? []), ...(labels && { labels }) }
  const report = /\.wav$/i.test(what) ? await ofFile(what, input, options.language ?? 'en') : await ofCall(what, input, options)
  console.log(options.json === true ? JSON.stringify(report, undefined, 2) : linesOf(report).join('\n'))
}

const ofCall = async (call: string, input: LabWish, options: LabOptions): Promise<LabReport> => {
  const connection = await connect(options)
  try {
    return await connection.api.runLab({ callId: await chooseCall(connection, call) }, input)
  } catch (error) {
    throw inWords(error, connection.baseUrl)
  }
}

const ofFile = async (file: string, input: LabWish, language: string): Promise<LabReport> => {
  const bytes = await readFile(file).catch(() => undefined)
  if (!bytes) throw new Mistake(2, `${file} cannot be read`)
  const { labOfFile } = await import('#wiring/lab/lab-of-file.ts')
  return labOfFile(bytes, input, language)
}

/** `[{ "startMs": 1200, "endMs": 3400 }, …]`. */
const readLabels = async (file: string): Promise<LabLabel[]> => {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Mistake(2, `${file} cannot be read`)
  })
  try {
    const labels = JSON.parse(text) as LabLabel[]
    if (Array.isArray(labels) && labels.every(({ startMs, endMs }) => startMs >= 0 && endMs >= startMs)) return labels
  } catch {}
  throw new Mistake(2, `${file} has to be a list of { "startMs", "endMs" }, in milliseconds since the recording began`)
}

/** Same limit as in the service; importing its schemas takes a quarter of a second. */
const maxVariants = 50
/** Steps of `300..1200` without an explicit step. */
const defaultSteps = 9

type Setting = (value: string) => LabSettings

const whole = (name: string, value: string): number => {
  if (!/^\d+$/.test(value)) throw new Mistake(2, `--set ${name}: ${value} is no whole number`)
  return Number(value)
}

/** Settings that can be varied, by their names in a flow. */
const settings: Record<string, Setting> = {
  'vad.end_of_turn_silence_ms': (value) => ({ vad: { end_of_turn_silence_ms: whole('vad.end_of_turn_silence_ms', value) } }),
  turn_taking: (value) => ({ turn_taking: value as NonNullable<LabSettings['turn_taking']> }),
  'barge_in.strategy': (value) => ({ barge_in: { strategy: value as NonNullable<NonNullable<LabSettings['barge_in']>['strategy']> } }),
  'barge_in.minimum_characters': (value) => ({ barge_in: { minimum_characters: whole('barge_in.minimum_characters', value) } }),
  'barge_in.allow_after_ms': (value) => ({ barge_in: { allow_after_ms: whole('barge_in.allow_after_ms', value) } }),
  language: (value) => ({ language: value }),
}

export interface Variant {
  name: string
  settings: LabSettings
}

/** `vad.end_of_turn_silence_ms=300..1200`, `turn_taking=quick,patient`: all combinations of values. */
export const variantsOf = (sets: readonly string[]): Variant[] => {
  const variants = sets
    .map(readSet)
    .reduce<Variant[]>((all, some) => all.flatMap((one) => some.map((other) => joined(one, other))), [{ name: '', settings: {} }])
  if (variants.length > maxVariants) throw new Mistake(2, `${variants.length} variants are too many: ${maxVariants} can be tried at once`)
  return sets.length === 0 ? [{ name: 'as it is set', settings: {} }] : variants
}

const joined = (one: Variant, other: Variant): Variant => {
  const bargeIn = { ...one.settings.barge_in, ...other.settings.barge_in }
  return {
    name: [one.name, other.name].filter((name) => name !== '').join(', '),
    settings: { ...one.settings, ...other.settings, ...(Object.keys(bargeIn).length > 0 && { barge_in: bargeIn }) },
  }
}

const readSet = (set: string): Variant[] => {
  const [, name = '', values = ''] = /^([^=]+)=(.+)$/.exec(set) ?? []
  const setting = settings[name]
  if (!setting) throw new Mistake(2, `--set ${set}: known are ${Object.keys(settings).join(', ')}, each with = and what it shall be`)
  return valuesOf(values).map((value) => ({ name: `${name.split('.').at(-1)} ${value}`, settings: setting(value) }))
}

/** `a,b`, `300..1200` or `300..1200/150`. */
const valuesOf = (values: string): string[] => {
  const [, first, last, step] = /^(\d+)\.\.(\d+)(?:\/(\d+))?$/.exec(values) ?? []
  if (first === undefined || last === undefined) return values.split(',').filter((value) => value !== '')
  const by = Math.max(1, Number(step ?? Math.ceil((Number(last) - Number(first)) / defaultSteps)))
  const all: string[] = []
  for (let value = Number(first); value <= Number(last); value += by) all.push(String(value))
  return all
}
