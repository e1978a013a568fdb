import type { End } from '#core/kernel/ports/call-end.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { JournalEntry, WriteEntry } from '#core/kernel/ports/journal.ts'
import type { CallHold, SavedCall } from '#core/kernel/ports/store/call/running-calls.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { leaseMs } from '#core/kernel/work/leases.ts'
import { settleMeter, type SavedMeter } from '../money/prepaid.ts'
import type { Side } from '../state/call-details.ts'
import type { FinishedCall } from './history-entry.ts'
import { readSnapshot, savedSides } from './snapshot.ts'
import { writeEntries } from './write-entries.ts'

export const endedCall = 'call.ended'
export const runningCall = 'call.running'

interface StoredEnd {
  callId: string
  endedAt: number
  end: End
  hold: CallHold
  /** There may be something of it in the store, and there is for sure. */
  opened: boolean
  written: boolean
  /** As in a snapshot. */
  call: Partial<Record<string, unknown>>
}

interface EndedCall extends FinishedCall {
  sides: readonly Side[]
  meters: readonly { readonly saved: SavedMeter }[]
  books: { readonly hold: CallHold; readonly opened: boolean; readonly written: boolean }
}

/** A call that is over, for the journal. */
export const journaledEnd = ({ callId, startedAt, endedAt, end, sides, meters, books }: EndedCall): JournalEntry => {
  const saved = { startedAt, sides: savedSides(sides), meters: meters.map((meter) => meter.saved), recordings: [], dialogs: [] }
  const payload: StoredEnd = { callId, endedAt, end, hold: books.hold, opened: books.opened, written: books.written, call: saved }
  return { kind: endedCall, id: callId, payload }
}

/** What closing the books would have done. */
export const writeJournaledEnd =
  (clock: Clock): WriteEntry =>
  async (tables, payload) => {
    const { callId, endedAt, end, hold, opened, written, call } = payload as StoredEnd
    const removed = opened && (await tables.runningCalls.remove(hold))
    if (written && !removed) return // another process has done it, or we did and did not hear of it
    const { startedAt, sides, meters } = readSnapshot(call, endedAt)
    for (const meter of meters) await settleMeter(tables, clock, meter, endedAt)
    await writeEntries(tables, { callId, startedAt, endedAt, end }, sides)
  }

/** A call that runs and that nobody else knows of. */
export const storedRunning = (call: SavedCall): JournalEntry => ({ kind: runningCall, id: call.callId, payload: call })

/**
 * Only after a restart: a process that lives writes it itself. From then on it is a call whose process is gone, as if it had been written
 * when it began.
 */
export const writeStoredRunning =
  (self: string): WriteEntry =>
  async (tables, payload) => {
    const call = payload as SavedCall
    if (call.owner === self) return
    if (await tables.runningCalls.open(call)) await leaveTo(tables, call)
  }

const leaveTo = async ({ leases }: Tables, { owner, savedAt }: SavedCall): Promise<void> => {
  if (!(await leases.find(owner))) await leases.renew({ owner, until: savedAt + leaseMs })
}
