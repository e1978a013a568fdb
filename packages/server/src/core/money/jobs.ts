import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Reservation } from '#core/kernel/ports/store/money.ts'
import type { Fax } from '#core/kernel/ports/store/message.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Recurring } from '#core/kernel/work/recurring.ts'
import type { Task } from '#core/kernel/work/worker.ts'

const minute = 60 * 1000
const day = 24 * 60 * 60 * 1000
const expiry = 'reservation.expire'

interface Expiring {
  accountId: string
  sessionId: string
}

/** Scheduled jobs on money, by kind. */
export const moneyJobs = (store: Store, clock: Clock): Record<string, Task> => ({
  [expiry]: async (payload) => {
    await store.write((tables) => expire(tables, clock, payload as Expiring))
  },
})

/** Answers to an Idempotency-Key are stored for a day. */
export const idempotencySweep: Recurring = {
  kind: 'idempotency.sweep',
  intervalMs: day,
  run: ({ idempotency }, now) => idempotency.removeOlderThan(now - day),
}

/** Part of the reserving transaction: the reservation is released even if its process dies. */
export const scheduleExpiry = (
  tables: Tables,
  accountId: string,
  { sessionId, expiresAt }: Pick<Reservation, 'sessionId' | 'expiresAt'>,
): Promise<void> =>
  tables.jobs.schedule({ id: `${expiry}:${sessionId}`, kind: expiry, payload: { accountId, sessionId }, dueAt: expiresAt })

export const cancelExpiry = (tables: Tables, sessionId: string): Promise<void> => tables.jobs.cancel(`${expiry}:${sessionId}`)

/** Releases the reservation of a session that never settled. An extended one is checked again later. */
const expire = async (tables: Tables, clock: Clock, { accountId, sessionId }: Expiring): Promise<void> => {
  const reservation = await tables.balances.findReservation(accountId, sessionId)
  if (reservation?.state !== 'OPEN') return
  if (reservation.expiresAt > clock.now()) return scheduleExpiry(tables, accountId, reservation)
  // A running call settles it at its end.
  const [callId = ''] = sessionId.split('.')
  if (await tables.runningCalls.has(callId)) return scheduleExpiry(tables, accountId, { sessionId, expiresAt: clock.now() + minute })
  if (isUnsent(await tables.faxes.find(accountId, sessionId)))
    return scheduleExpiry(tables, accountId, { sessionId, expiresAt: clock.now() + minute })
  await tables.balances.release(accountId, sessionId)
}

/** An unsent fax settles it at its end. */
const isUnsent = (fax: Fax | undefined): boolean => fax !== undefined && ['PENDING', 'SENDING', 'SCHEDULED'].includes(fax.state)
