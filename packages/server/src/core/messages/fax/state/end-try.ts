import { scheduleNotification } from '#core/account/notifications/schedule-notification.ts'
import { settleFax } from '#core/money/reservations.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { FaxResult } from '#core/kernel/ports/fax-transport.ts'
import type { Fax, FaxChange } from '#core/kernel/ports/store/message/faxes.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { updateEntry } from './fax-entry.ts'
import { scheduleReport } from './fax-report.ts'
import { reasons, type FaxReason } from './reasons.ts'
import { scheduleSending } from './schedule-sending.ts'

/** The outcome of one try. */
export interface TryEnd {
  /** Undefined when all pages are there. */
  reason: FaxReason | undefined
  /** Confirmed, over all tries. */
  pagesDone: number
  /** That have to be paid for in this try. */
  talkSeconds: number
  /** What the engine says, if it got as far as that. */
  result?: FaxResult
  /** The next try need not wait. */
  atOnce?: boolean
  /** There was no room at the carriers: it was no try at all. */
  nobodyCalled?: boolean
}

const minute = 60_000
/** After each try that was in vain; then it has failed. */
const waitMs = [minute, 5 * minute, 15 * minute]
/** Until others have had their turn. */
const roomMs = 15_000

/** Part of a transaction that has locked the fax: it was sent, or has failed, or is tried again. */
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

/** Money is taken once, whatever the tries were; users who asked for it are notified. */
export const settle = async (tables: Tables, clock: Clock, fax: Fax): Promise<void> => {
  const { accountId, id: sessionId, talkSeconds: seconds, pagesDone: pages } = fax
  const at = clock.now()
  await settleFax(tables, clock, { accountId, sessionId, seconds, pages })
  await scheduleReport(tables, fax, at)
  await scheduleNotification(tables, accountId, { id: fax.id, modifiedAt: at })
}

/** A try that a person answered has no T.30 facts worth keeping. */
const factsOf = ({ bitRate, errorCorrection, carriedBy, station }: FaxResult): FaxChange => ({
  ...(bitRate > 0 && { bitRate, errorCorrection, carriedBy }),
  ...(station !== '' && { station }),
})

const nextOf = (fax: Fax, { reason = 'interrupted', pagesDone, atOnce: immediately, nobodyCalled }: TryEnd, at: number): FaxChange => {
  if (pagesDone >= fax.pages) return { state: 'SENT', reason: undefined, dueAt: undefined }
  if (fax.reason === 'cancelled') return { state: 'FAILED', dueAt: undefined }
  // The far end has no part in it: it goes on at once, in another run of the service.
  if (reason === 'service_shutdown') return { state: 'PENDING', reason: undefined, tries: fax.tries - 1, dueAt: at }
  if (nobodyCalled) return { state: 'PENDING', reason: undefined, tries: fax.tries - 1, dueAt: at + roomMs }
  const wait = waitMs[fax.tries - 1]
  if (!reasons[reason].again || wait === undefined) return { state: 'FAILED', reason, dueAt: undefined }
  return { state: 'SCHEDULED', reason, dueAt: at + (immediately ? 0 : wait) }
}
