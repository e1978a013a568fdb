import type { ScenarioStep } from './scenario.ts'

const betweenSlashes = /^\/(.+)\/$/s

export const isPattern = (sentence: string): boolean => betweenSlashes.test(sentence)

/** Undefined for a plain sentence. Throws if the text between the slashes is not a regular expression. */
export const patternOf = (sentence: string): RegExp | undefined => {
  const inner = betweenSlashes.exec(sentence)?.[1]
  return inner === undefined ? undefined : new RegExp(inner, 'iu')
}

export interface StepProblem {
  /** Inside the step. */
  path: (string | number)[]
  message: string
}

/** Problems that the schema does not find: invalid regular expressions, and hesitations after words that are not said. */
export const stepProblems = (step: ScenarioStep): StepProblem[] => {
  if ('say' in step) return hesitationProblems(step)
  if (!('expect' in step)) return []
  const fields = ['said', 'not_said'] as const
  return fields.flatMap((field) => [step.expect[field] ?? []].flat().flatMap((sentence) => problemOf(sentence, ['expect', field])))
}

const problemOf = (sentence: string, path: StepProblem['path']): StepProblem[] => {
  try {
    patternOf(sentence)
    return []
  } catch (error) {
    return [{ path, message: (error as Error).message }]
  }
}

const hesitationProblems = ({ say, hesitates = [], interrupts, into_ms }: Extract<ScenarioStep, { say: unknown }>): StepProblem[] => {
  const problems: StepProblem[] = []
  if (interrupts !== undefined && into_ms === undefined)
    problems.push({ path: ['interrupts'], message: 'needs into_ms: nothing is interrupted without it' })
  let from = 0
  for (const [place, { after }] of hesitates.entries()) {
    const at = say.indexOf(after, from)
    if (at < 0) problems.push({ path: ['hesitates', place, 'after'], message: `“${after}” does not occur in “${say.slice(from)}”` })
    else from = at + after.length
  }
  return problems
}
