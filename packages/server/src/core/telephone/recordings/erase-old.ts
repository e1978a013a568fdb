import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'

const day = 24 * 3_600_000
/** In one transaction: writers queue behind it. */
const concurrency = 100

export interface StoredThings<T> {
  store: Store
  clock: Clock
  /** 0: for ever. */
  keptDays: number
  listBefore: (at: number, limit: number) => Promise<T[]>
  eraseFiles: (thing: T) => Promise<void>
  forget: (tables: Tables, thing: T, at: number) => Promise<void>
}

/** Erases what is older than it may be. */
export const eraseOld = async <T>(things: StoredThings<T>): Promise<void> => {
  if (things.keptDays === 0) return
  while ((await eraseOldest(things)) === concurrency);
}

/** Files first: what could not be erased is found again the next time. Gives how many there were. */
const eraseOldest = async <T>({ store, clock, keptDays: retentionDays, listBefore, eraseFiles, forget }: StoredThings<T>): Promise<number> => {
  const at = clock.now()
  const old = await listBefore(at - retentionDays * day, concurrency)
  const outcomes = await Promise.allSettled(old.map(eraseFiles))
  await store.write(async (tables) => {
    for (const [index, thing] of old.entries()) if (outcomes[index]?.status === 'fulfilled') await forget(tables, thing, at)
  })
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
  return old.length
}
