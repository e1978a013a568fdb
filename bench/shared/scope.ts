import type { Scope } from '#test/machine/temporary-folder.ts'

/** Resources of a bench that must be released. */
export interface OpenScope extends Scope {
  /** Releases in reverse order. */
  end(): Promise<void>
}

/** Innermost last. */
const open = new Set<() => Promise<void>>()
let stopping: Promise<never> | undefined
/** Milliseconds before a hanging resource is abandoned. */
const stopMs = 10_000

/** Closes automatically when the bench is stopped: no service, peer or folder is left behind. */
export const openScope = (): OpenScope => {
  const closing: (() => unknown)[] = []
  let ended = Promise.resolve()
  const close = (): Promise<void> => (ended = ended.then(() => closeAll(closing)).finally(() => open.delete(close)))
  open.add(close)
  return {
    after(last) {
      closing.push(last)
      // Closes immediately if the bench is already stopping.
      if (stopping) void close()
    },
    end: close,
  }
}

/** A failing close does not prevent the others. */
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

/** Releases all resources of this work when it ends. */
export const inScope = async <T>(work: (scope: Scope) => Promise<T>): Promise<T> => {
  const scope = openScope()
  try {
    return await work(scope)
  } finally {
    await scope.end()
  }
}

const stop = async (): Promise<never> => {
  // Clients of a resource that has just ended fail, and must not crash the bench.
  process.on('uncaughtException', () => {})
  setTimeout(() => process.exit(1), stopMs).unref()
  for (const close of [...open].toReversed()) await close().catch((error: unknown) => console.error(error))
  process.exit(1)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void (stopping ??= stop()))
