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

/** The same store, which tells what a transaction touched as soon as that is committed. `noting`: tables that enter it into the set. */
export const tellingAfterCommit = (
  store: Store,
  noting: (tables: Tables, touched: Set<string>) => Tables,
  tell: (touched: string) => void,
): Store =>
  withWrites(store, async (work) => {
    const touched = new Set<string>()
    const result = await store.write((tables) => {
      touched.clear() // the work may run again
      return work(noting(tables, touched))
    })
    for (const one of touched) tell(one)
    return result
  })
