import type { Clock } from '../ports/platform.ts'
import type { Journal, JournalEntry } from '../ports/store/index.ts'
import { StoreFull, StoreUnavailable, type Store, type Tables } from '../ports/store/index.ts'
import { sleep } from './waiting.ts'
import type { Tasks } from './worker.ts'

export interface RecordWriter {
  store: Store
  clock: Clock
  tasks: Tasks
  /** Aborted at shutdown: then no retry waits. */
  closing: AbortSignal
  /** For events during a database outage; undefined for a local database file. */
  journal?: Journal | undefined
  /** Only for the log; must not throw. */
  onFailure: (error: unknown, callId: string) => void
}

/** In total well below the time after which an unsettled reservation is released. */
const waitMs = [0, 200, 1_000, 5_000, 15_000, 30_000]

/** Writes an event that has happened, with retries during a database outage. Throws only after the last retry. */
export const writeWithRetry = async (books: RecordWriter, callId: string, work: (tables: Tables) => Promise<void>): Promise<void> => {
  for (const ms of waitMs) {
    try {
      return await books.tasks.track(books.store.write(work))
    } catch (error) {
      books.onFailure(error, callId)
      await pause(books, ms)
    }
  }
  await books.tasks.track(books.store.write(work))
}

/** Waits `ms`, or until the database is back. */
export const pause = async ({ store, clock, closing }: Pick<RecordWriter, 'store' | 'clock' | 'closing'>, ms: number): Promise<void> => {
  const back = new AbortController()
  const stop = store.reach?.watch((away) => away || back.abort())
  await sleep(clock, ms, AbortSignal.any([closing, back.signal]))
  stop?.()
}

/** Retries for as long as the database is unreachable: no other node does it while this one owns the call. At shutdown others take over. */
export const writeUntilDone = async (books: RecordWriter, callId: string, work: (tables: Tables) => Promise<void>): Promise<void> => {
  do {
    try {
      return await writeWithRetry(books, callId, work)
    } catch (error) {
      books.onFailure(error, callId)
    }
  } while (!books.closing.aborted)
}

/**
 * Journals the entry on this machine during a database outage; this process or its next run writes it afterwards, without blocking the
 * caller. If it cannot be journaled, retries until it is written.
 */
export const writeOrJournal = async (
  books: RecordWriter,
  callId: string,
  work: (tables: Tables) => Promise<void>,
  entry: () => JournalEntry,
): Promise<void> => {
  try {
    return await books.tasks.track(books.store.write(work))
  } catch (error) {
    books.onFailure(error, callId)
    if (isAway(error) && (await books.journal?.keep(entry()))) return
  }
  await writeUntilDone(books, callId, work)
}

export const isAway = (error: unknown): boolean => error instanceof StoreUnavailable && !(error instanceof StoreFull)
