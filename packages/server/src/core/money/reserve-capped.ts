import { Problem } from '@offhook/contract/problem.ts'
import { reserveCall, type CallRequest } from './reservations.ts'
import type { Payer } from './rates.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Purpose, Reservation } from '#core/kernel/ports/store/money.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Limits per account over all nodes: the worst case of a stolen token. */
export interface Caps {
  openAtOnce: number
  startedPerSecond: number
  /** Name of the counted sessions, such as `calls of assistants`. */
  what: string
}

/** Reserves for a call unless too many of its kind run. A repeated order is not counted again. */
export const reserveCapped = async (tables: Tables, clock: Clock, input: CallRequest, caps: Caps): Promise<Reservation> => {
  const known = await tables.balances.findReservation(input.payer.id, input.sessionId)
  const reservation = await reserveCall(tables, clock, input)
  if (known === undefined || known.state === 'RELEASED') await requireCapacity(tables, clock.now(), input, caps)
  return reservation
}

/** The reservation holds the lock on the account's balance, so that parallel requests are counted one after the other. */
export const requireCapacity = async (
  tables: Tables,
  now: number,
  input: { payer: Payer; sessionId: string; purpose: Purpose },
  { openAtOnce, startedPerSecond, what }: Caps,
): Promise<void> => {
  const others = await tables.balances.countSessions(input.payer.id, input.purpose, { than: input.sessionId, since: now - 1000 })
  if (others.open >= openAtOnce) throw new Problem('rate_limited', `At most ${openAtOnce} ${what} can run at a time.`, { retryAfter: 10 })
  if (others.started >= startedPerSecond)
    throw new Problem('rate_limited', `At most ${startedPerSecond} ${what} can be started per second.`, { retryAfter: 1 })
}
