import type { InputOf } from '#api/use-service.ts'

export type LabRequest = InputOf<'runLab'>[1]

type LabSettings = LabRequest['variants'][number]['settings']

/** Maximum variants per request of the service. */
export const maxVariants = 50

/** A range of numbers; without `from` the setting stays unchanged, without `to` it is that one number. */
export interface Range {
  from: number | ''
  to: number | ''
  step: number | ''
}

/** Values to try. Empty: the current setting. */
export interface LabForm {
  silence: Range
  allowAfter: Range
  turnTakings: string[]
  strategies: string[]
}

export const untried: LabForm = {
  silence: { from: 300, to: 1200, step: 300 },
  allowAfter: { from: '', to: '', step: '' },
  turnTakings: [],
  strategies: [],
}

export const numbersOf = ({ from, to, step }: Range): number[] => {
  if (from === '') return []
  if (to === '' || to <= from) return [from]
  const width = step === '' || step <= 0 ? to - from : step
  const count = Math.floor((to - from) / width) + 1
  return Array.from({ length: Math.min(count, maxVariants + 1) }, (_, index) => from + index * width)
}

type Choice = { name: string; settings: LabSettings }

export interface LabWords {
  silence: (ms: number) => string
  allowAfter: (ms: number) => string
  turnTaking: (name: string) => string
  strategy: (name: string) => string
}

/** Every combination of values, named by its differences. */
export const variantsOf = (form: LabForm, words: LabWords): LabRequest['variants'] => {
  const choices: Choice[][] = [
    numbersOf(form.silence).map((ms) => ({ name: words.silence(ms), settings: { vad: { end_of_turn_silence_ms: ms } } })),
    form.turnTakings.map((name) => ({ name: words.turnTaking(name), settings: { turn_taking: name } as LabSettings })),
    form.strategies.map((name) => ({ name: words.strategy(name), settings: { barge_in: { strategy: name } } as LabSettings })),
    numbersOf(form.allowAfter).map((ms) => ({ name: words.allowAfter(ms), settings: { barge_in: { allow_after_ms: ms } } })),
  ]
  const combined = choices
    .filter((some) => some.length > 0)
    .reduce<Choice[]>((all, some) => all.flatMap((one) => some.map((other) => joined(one, other))), [{ name: '', settings: {} }])
  return combined.filter(({ name }) => name !== '')
}

const joined = (one: Choice, other: Choice): Choice => ({
  name: one.name === '' ? other.name : `${one.name} · ${other.name}`,
  settings: {
    ...one.settings,
    ...other.settings,
    ...((one.settings.barge_in ?? other.settings.barge_in) && { barge_in: { ...one.settings.barge_in, ...other.settings.barge_in } }),
  },
})
