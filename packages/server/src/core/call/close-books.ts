import { historyEntry, type FinishedCall } from './history-entry.ts'
import type { Meter } from './meter.ts'
import type { Side } from './story.ts'
import { writeSurely, type Bookkeeping } from './sure-write.ts'

/** At the end of a call everything is written at once: what it cost, and one entry for every account that it concerned. */
export const closeBooks = async (
  books: Bookkeeping,
  call: FinishedCall,
  sides: readonly Side[],
  meters: readonly Meter[],
): Promise<void> => {
  if (sides.length === 0 && meters.length === 0) return
  const entries = sides.map((side) => [side.accountId, historyEntry(side, call)] as const)
  await writeSurely(books, call.callId, async (tables) => {
    for (const meter of meters) await meter.settle(tables)
    for (const [accountId, entry] of entries) await tables.history.insert(accountId, entry)
  })
}

/** For legs that are over before their call is. */
export const settleSurely = (books: Bookkeeping, callId: string, meters: readonly Meter[]): Promise<void> =>
  writeSurely(books, callId, async (tables) => {
    for (const meter of meters) await meter.settle(tables)
  })
