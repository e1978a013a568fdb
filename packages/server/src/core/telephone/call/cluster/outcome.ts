import type { ErrorCode } from '@offhook/contract/errors.ts'
import { Problem, type ProblemOptions } from '@offhook/contract/problem.ts'
import { storeProblem } from '#core/kernel/store-problem.ts'

/** What became of something that another process was asked to do. */
export type Outcome<T> = { done: T } | { problem: { code: ErrorCode; message: string; options: ProblemOptions } }

/** `onFault`: something of ours failed; the asker learns no more than that. */
export const outcomeOf = async <T>(work: () => Promise<T>, onFault: (error: unknown) => void): Promise<Outcome<T>> => {
  try {
    return { done: await work() }
  } catch (error) {
    const known = error instanceof Problem ? error : storeProblem(error)
    if (!known) onFault(error)
    const { code, message, details, retryAfter } = known ?? new Problem('internal_error')
    return { problem: { code, message, options: { ...(details && { details }), ...(retryAfter !== undefined && { retryAfter }) } } }
  }
}

/** As if it had been done here: throws the other process's Problem. */
export const doneOrThrow = <T>(outcome: Outcome<T>): T => {
  if (!('problem' in outcome)) return outcome.done
  const { code, message, options } = outcome.problem
  throw new Problem(code, message, options)
}
