import type { Tables } from './store/index.ts'

/** What a process remembers of the store may be another now: it drops it. Told to all processes, ourselves included, after the commit. */
export interface Changes {
  /** `id`: the account, or of tables without accounts the row. */
  notify(table: keyof Tables, id: string): void
  on(table: keyof Tables, changed: (id: string) => void): () => void
  /** Something may have been missed, because the bus was away: everything is dropped. */
  onDoubt(doubt: () => void): () => void
}
