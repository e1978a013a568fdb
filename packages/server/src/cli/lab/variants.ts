import type { LabSettings } from '@offhook/contract/v2/lab.ts'
import { Mistake } from '../terminal/mistake.ts'

/** As the service has it; its shapes take a quarter of a second to load. */
const maxVariants = 50
/** Of `300..1200` without another step. */
const defaultSteps = 9

type Setting = (value: string) => LabSettings

const whole = (name: string, value: string): number => {
  if (!/^\d+$/.test(value)) throw new Mistake(2, `--set ${name}: ${value} is no whole number`)
  return Number(value)
}

/** What can be tried out, by the names of the settings of a flow. */
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

/** `vad.end_of_turn_silence_ms=300..1200`, `turn_taking=quick,patient`: every value of one with every value of the others. */
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
