import { BadArchive } from '#adapters/archive/bad-archive.ts'
import { Refused } from '#wiring/backup/refused.ts'
import { Mistake } from '../terminal/mistake.ts'

/** Runs what leaves nothing half done: a signal ends it in order. */
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

/** What the operator can do something about, without a stack. */
export const inWords = (error: unknown, file: string): unknown => {
  if (error instanceof BadArchive) return new Mistake(1, `${file} ${error.message}`)
  if (error instanceof Refused) return new Mistake(1, error.message)
  if (error instanceof TypeError) return error // a fault of ours
  return new Mistake(1, (error as Error).message)
}

export const sizeOf = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
