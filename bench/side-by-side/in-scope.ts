import type { Scope } from '#test/machine/temporary-folder.ts'

/** Whatever this work begins, ends with it. */
export const inScope = async <T>(work: (scope: Scope) => Promise<T>): Promise<T> => {
  const closing: (() => unknown)[] = []
  try {
    return await work({ after: (close) => void closing.push(close) })
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}
