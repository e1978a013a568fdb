import type { ScenarioStep } from './scenario.ts'

const betweenSlashes = /^\/(.+)\/$/s

export const isPattern = (sentence: string): boolean => betweenSlashes.test(sentence)

/** Undefined for a plain sentence. Throws if the text between the slashes is not a regular expression. */
export const patternOf = (sentence: string): RegExp | undefined => {
  const inner = betweenSlashes.exec(sentence)?.[1]
  return inner === undefined ? undefined : new RegExp(inner, 'iu')
}

export interface PatternProblem {
  field: 'said' | 'not_said'
  message: string
}

/** Invalid regular expressions between slashes in an expectation. */
export const patternProblems = (step: ScenarioStep): PatternProblem[] => {
  if (!('expect' in step)) return []
  const fields = ['said', 'not_said'] as const
  return fields.flatMap((field) => [step.expect[field] ?? []].flat().flatMap((sentence) => problemOf(sentence, field)))
}

const problemOf = (sentence: string, field: PatternProblem['field']): PatternProblem[] => {
  try {
    patternOf(sentence)
    return []
  } catch (error) {
    return [{ field, message: (error as Error).message }]
  }
}
