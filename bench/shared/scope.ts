import type { Scope } from '#test/machine/temporary-folder.ts'

/** What a bench has begun and has to end. */
export interface OpenScope extends Scope {
  /** What was begun last ends first. */
  end(): Promise<void>
}

/** Innermost last. */
const open = new Set<() => Promise<void>>()
let stopping: Promise<never> | undefined
/** Who has not ended by then never will. */
const stopMs = 10_000

/** Ends by itself when the bench is told to stop: no service, stranger or folder is left behind. */
export const openScope = (): OpenScope => {
  const closing: (() => unknown)[] = []
  let ended = Promise.resolve()
  const close = (): Promise<void> => (ended = ended.then(() => closeAll(closing)).finally(() => open.delete(close)))
  open.add(close)
  return {
    after(last) {
      closing.push(last)
      // What the bench begins before it notices ends at once.
      if (stopping) void close()
    },
    end: close,
  }
}

/** One that fails does not keep the others from ending. */
const closeAll = async (closing: (() => unknown)[]): Promise<void> => {
  const failures: unknown[] = []
  for (let last = closing.pop(); last; last = closing.pop())
    try {
      await last()
    } catch (error) {
      failures.push(error)
    }
  if (failures.length > 0) throw failures[0]
}

/** Whatever this work begins, ends with it. */
export const inScope = async <T>(work: (scope: Scope) => Promise<T>): Promise<T> => {
  const scope = openScope()
  try {
    return await work(scope)
  } finally {
    await scope.end()
  }
}

const stop = async (): Promise<never> => {
  // Whoever talks to what has just ended fails, and must not take us with it.
  process.on('uncaughtException', () => {})
  setTimeout(() => process.exit(1), stopMs).unref()
  for (const close of [...open].toReversed()) await close().catch((error: unknown) => console.error(error))
  process.exit(1)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void (stopping ??= stop()))
