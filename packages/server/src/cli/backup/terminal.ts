import { refusalOf } from '#wiring/backup/make-backup.ts'
import { Mistake } from '../terminal/mistake.ts'

/** Runs work that must not stop half-way: a signal aborts it in an orderly way. */
export const untilSignal = async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const ending = new AbortController()
  const end = (signal: NodeJS.Signals): void => ending.abort(new Mistake(1, `ended by ${signal}; nothing is left of it`))
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.once(signal, end)
  try {
    return await work(ending.signal)
  } catch (error) {
    throw ending.signal.aborted ? (ending.signal.reason as Mistake) : error
  } finally {
    for (const signal of signals) process.off(signal, end)
  }
}

/** Errors that the operator can fix, without a stack. */
export const inWords = (error: unknown, file: string): unknown => {
  const refusal = refusalOf(error, file)
  if (refusal !== undefined) return new Mistake(1, refusal)
  if (error instanceof TypeError) return error // an internal error
  return new Mistake(1, (error as Error).message)
}

export const sizeOf = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
