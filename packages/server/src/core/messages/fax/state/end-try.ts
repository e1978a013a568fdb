import { scheduleNotification } from '#core/account/notifications/schedule-notification.ts'
import { settleFax } from '#core/money/reservations.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { FaxResult } from '#core/kernel/ports/messages.ts'
import type { Fax, FaxChange } from '#core/kernel/ports/store/message.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { updateEntry } from './fax-entry.ts'
import { scheduleReport } from './fax-report.ts'
import { reasons, type FaxReason } from './reasons.ts'
import { scheduleSending } from './schedule-sending.ts'

/** Outcome of one attempt. */
export interface TryEnd {
  /** Undefined when all pages were delivered. */
  reason: FaxReason | undefined
  /** Confirmed pages over all attempts. */
  pagesDone: number
  /** Billable seconds of this attempt. */
  talkSeconds: number
  /** Result of the fax engine, if the call got that far. */
  result?: FaxResult
  /** Whether the next attempt starts immediately. */
  atOnce?: boolean
  /** No channel was free at the carriers: does not count as an attempt. */
  nobodyCalled?: boolean
}

const minute = 60_000
/** Milliseconds to wait after each failed attempt; then the fax has failed. */
const waitMs = [minute, 5 * minute, 15 * minute]
/** Milliseconds to wait for a free channel. */
const roomMs = 15_000

/** Part of a transaction that has locked the fax: marks it sent or failed, or schedules a retry. */
export const endTry = async (tables: Tables, clock: Clock, fax: Fax, end: TryEnd): Promise<Fax> => {
  const at = clock.now()
  const change: FaxChange = {
    ...(end.result && factsOf(end.result)),
    pagesDone: end.pagesDone,
    talkSeconds: fax.talkSeconds + end.talkSeconds,
    owner: undefined,
    answeredAt: undefined,
    dialog: undefined,
    ...nextOf(fax, end, at),
  }
  const ended: Fax = { ...fax, ...change }
  await tables.faxes.update(fax.accountId, fax.id, change, at)
  if (ended.dueAt === undefined) await settle(tables, clock, ended)
  else await scheduleSending(tables, ended, ended.dueAt)
  await updateEntry(tables, ended, at)
  return ended
}

/** Charges once for all attempts and notifies subscribed users. */
export const settle = async (tables: Tables, clock: Clock, fax: Fax): Promise<void> => {
  const { accountId, id: sessionId, talkSeconds: seconds, pagesDone: pages } = fax
  const at = clock.now()
  await settleFax(tables, clock, { accountId, sessionId, seconds, pages })
  await scheduleReport(tables, fax, at)
  await scheduleNotification(tables, accountId, { id: fax.id, modifiedAt: at })
}

/** An attempt answered by a person has no T.30 facts to store. */
const factsOf = ({ bitRate, errorCorrection, carriedBy, station }: FaxResult): FaxChange => ({
  ...(bitRate > 0 && { bitRate, errorCorrection, carriedBy }),
  ...(station !== '' && { station }),
})

const nextOf = (fax: Fax, { reason = 'interrupted', pagesDone, atOnce: immediately, nobodyCalled }: TryEnd, at: number): FaxChange => {
  if (pagesDone >= fax.pages) return { state: 'SENT', reason: undefined, dueAt: undefined }
  if (fax.reason === 'cancelled') return { state: 'FAILED', dueAt: undefined }
  // Not caused by the far end: resumes immediately after the restart.
  if (reason === 'service_shutdown') return { state: 'PENDING', reason: undefined, tries: fax.tries - 1, dueAt: at }
  if (nobodyCalled) return { state: 'PENDING', reason: undefined, tries: fax.tries - 1, dueAt: at + roomMs }
  const wait = waitMs[fax.tries - 1]
  if (!reasons[reason].again || wait === undefined) return { state: 'FAILED', reason, dueAt: undefined }
  return { state: 'SCHEDULED', reason, dueAt: at + (immediately ? 0 : wait) }
}
