import type { Clock } from '../ports/clock.ts'
import type { Journal, JournalEntry } from '../ports/journal.ts'
import { StoreFull, StoreUnavailable, type Store, type Tables } from '../ports/store/index.ts'
import { sleep } from './sleep.ts'
import type { Tasks } from './tasks.ts'

export interface RecordWriter {
  store: Store
  clock: Clock
  tasks: Tasks
  /** Aborted when the service closes: then nothing is put off. */
  closing: AbortSignal
  /** For what has happened while the database is away; undefined where it cannot be. */
  journal?: Journal | undefined
  /** Something did not work. Only for the log; must not throw. */
  onFailure: (error: unknown, callId: string) => void
}

/** Together well below the time after which a reservation that is not settled is given back. */
const waitMs = [0, 200, 1_000, 5_000, 15_000, 30_000]

/** For what must be written because it has happened: a database that is away for a while is asked again. Throws only at the very end. */
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

/** Until it is worth trying again: after that time, or as soon as the database is back. */
export const pause = async ({ store, clock, closing }: Pick<RecordWriter, 'store' | 'clock' | 'closing'>, ms: number): Promise<void> => {
  const back = new AbortController()
  const stop = store.reach?.watch((away) => away || back.abort())
  await sleep(clock, ms, AbortSignal.any([closing, back.signal]))
  stop?.()
}

/** However long the database is away: no other process does it while this one has the call. When it stops, others do. */
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
 * While the database is away it is kept on this machine and written when the database is back, by this process or its next run: nobody waits for
 * that. Where it cannot be kept it is written however long that takes.
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

const isAway = (error: unknown): boolean => error instanceof StoreUnavailable && !(error instanceof StoreFull)
