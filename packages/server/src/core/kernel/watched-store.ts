import type { Store, Tables } from './ports/store/index.ts'

/** Returns the same store with a different `write`. */
export const withWrites = (store: Store, write: Store['write']): Store => ({
  get read() {
    return store.read
  },
  write,
  reach: store.reach,
  longReads: store.longReads,
  close: () => store.close(),
})

/**
 * Wraps tables so that they record a transaction's changes. Wraps each `Tables` once rather than once per transaction: transactions that
 * share tables run one after the other.
 */
export const notingTables = <N>(make: (given: Tables, notes: () => N) => Tables): ((given: Tables, notes: N) => Tables) => {
  const made = new WeakMap<Tables, { noting: Tables; notes: N }>()
  return (given, notes) => {
    const known = made.get(given)
    if (known) {
      known.notes = notes
      return known.noting
    }
    const fresh = { noting: given, notes }
    fresh.noting = make(given, () => fresh.notes)
    made.set(given, fresh)
    return fresh.noting
  }
}

/** Wraps the store so that it reports a transaction's changes right after the commit. `make` wraps the tables so that they add to the set. */
export const publishAfterCommit = (
  store: Store,
  make: (tables: Tables, touched: () => Set<string>) => Tables,
  notify: (touched: string) => void,
): Store => {
  const noting = notingTables(make)
  return withWrites(store, async (work, patient) => {
    const touched = new Set<string>()
    const result = await store.write((tables) => {
      touched.clear() // the work may be retried
      return work(noting(tables, touched))
    }, patient)
    for (const one of touched) notify(one)
    return result
  })
}

export type Read = (...args: unknown[]) => Promise<unknown>

/** Returns the same tables with every method of the named ones wrapped. */
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
