import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { FinishedCall } from './history-entry.ts'
import { journaledEnd } from './kept-end.ts'
import type { RunningCallRecord } from './open-books.ts'
import { writeEntries } from './write-entries.ts'
import type { Payable, Prepaid } from '../money/prepaid.ts'
import type { Side } from '../state/call-details.ts'
import { writeOrJournal, writeWithRetry, type RecordWriter } from '#core/kernel/work/write-with-retry.ts'

/** What is to be settled and written when a call is over. */
export interface EndedCallRecord extends FinishedCall {
  sides: readonly Side[]
  meters: readonly Prepaid[]
  /** What was written while it lasted. */
  books: RunningCallRecord
}

/** At the end of a call everything is written at once: what it cost, and what every account that it concerned reads about it. False when another process has the call. */
export const writeCallRecords = async (bookkeeping: RecordWriter, call: EndedCallRecord): Promise<boolean> => {
  const { callId, sides, meters, books } = call
  await books.stop()
  if (sides.length === 0 && meters.length === 0 && !books.opened) return true
  let ours = true
  const write = async (tables: Tables): Promise<void> => {
    const removed = books.opened && (await tables.runningCalls.remove(books.hold))
    // Another process does or has done all this, or an earlier try has, whose answer was lost.
    if (books.written && !removed) {
      ours = !(await tables.runningCalls.has(callId))
      return
    }
    for (const meter of meters) await meter.settle(tables)
    await writeEntries(tables, call, sides)
  }
  await writeOrJournal(bookkeeping, callId, write, () => journaledEnd(call))
  return ours
}

/** For legs that are over before their call is. A call that another process has is paid for there. */
export const settleWithRetry = (bookkeeping: RecordWriter, callId: string, books: Pick<RunningCallRecord, 'isOurs'>, meter: Payable): Promise<void> =>
  writeWithRetry(bookkeeping, callId, async (tables) => {
    if (await books.isOurs(tables)) await meter.settle(tables)
  })
