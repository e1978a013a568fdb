import type { Scope } from '#test/machine/temporary-folder.ts'

/** What a bench has begun and has to end. */
export interface OpenScope extends Scope {
  /** What was begun last ends first. */
  end(): Promise<void>
}

/** Innermost last. */
const open = new Set<() => Promise<void>>()
let stopping: Promise<never> | undefined

/** Ends by itself when the bench is told to stop: no service, stranger or folder is left behind. */
export const openScope = (): OpenScope => {
  const closing: (() => unknown)[] = []
  const close = async (): Promise<void> => {
    for (let last = closing.pop(); last; last = closing.pop()) await last()
    open.delete(close)
  }
  open.add(close)
  return {
    after(last) {
      closing.push(last)
      // What the bench begins before it notices ends at once.
      if (stopping) void close()
    },
    // A bench that fails because everything under it ends must not be gone before everything has ended.
    end: () => stopping ?? close(),
  }
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
  for (const close of [...open].toReversed()) await close().catch((error: unknown) => console.error(error))
  process.exit(1)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void (stopping ??= stop()))
