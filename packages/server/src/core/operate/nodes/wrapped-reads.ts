import type { Tables } from '#core/kernel/ports/store/index.ts'

export type Read = (...args: unknown[]) => Promise<unknown>

/** The same tables, where every method of the named ones is another. */
export const wrappedReads = <T extends keyof Tables>(
  read: Tables,
  names: readonly T[],
  wrap: (table: T, name: string, method: Read) => Read,
): Tables => {
  const wrapped = names.map((table) => {
    const methods = Object.entries(read[table] as unknown as Record<string, Read>)
    return [table, Object.fromEntries(methods.map(([name, method]) => [name, wrap(table, name, method)]))]
  })
  return { ...read, ...(Object.fromEntries(wrapped) as Pick<Tables, T>) }
}
