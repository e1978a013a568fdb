import type { Store, Tables } from './ports/store/index.ts'

/** The same store with other transactions. */
export const withWrites = (store: Store, write: Store['write']): Store => ({
  get read() {
    return store.read
  },
  write,
  reach: store.reach,
  close: () => store.close(),
})

/**
 * Tables that note what a transaction does to them. They are made once for each tables that they are given, not once for each transaction: where
 * transactions share tables, one follows the other.
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

/** The same store, which tells what a transaction touched as soon as that is committed. `make`: tables that enter it into the set. */
export const publishAfterCommit = (
  store: Store,
  make: (tables: Tables, touched: () => Set<string>) => Tables,
  notify: (touched: string) => void,
): Store => {
  const noting = notingTables(make)
  return withWrites(store, async (work, patient) => {
    const touched = new Set<string>()
    const result = await store.write((tables) => {
      touched.clear() // the work may run again
      return work(noting(tables, touched))
    }, patient)
    for (const one of touched) notify(one)
    return result
  })
}
