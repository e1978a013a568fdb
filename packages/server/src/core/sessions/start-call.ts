import { isDeepStrictEqual } from 'node:util'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller.ts'
import { reserveCall } from '../money/purse.ts'
import { parseNumber } from '../numbers/phone-number.ts'
import { mostPaidLegs } from '../call/meter.ts'
import type { Account } from '../ports/store/accounts.ts'
import type { Reservation } from '../ports/store/balances.ts'
import type { Tables } from '../ports/store/index.ts'
import { carryOut, orderingAccount, type SessionParts } from './paid-order.ts'
import { demandOwnCaller, readCallee, readCaller, type CallingSide, type Side } from './parties.ts'

export interface CallWish {
  caller: string
  callee: string
  deviceId?: string
  callerId?: string
}

/** Of one account, whether by its phones or over this interface: nobody clicks faster, but a program with a stolen token would. */
const startedPerSecond = 2

/** Rings the caller's phone and then the callee's. First what is wrong, then what is not allowed, then what cannot be paid. */
export const startCall = async (parts: SessionParts, user: UserCaller, sessionId: string, wish: CallWish): Promise<void> => {
  const { read } = parts.store
  const account = await orderingAccount(parts.store, user.accountId)
  const caller = await readCaller(read, account, wish)
  const callee = await readCallee(read, account, wish.callee, caller.device)
  if (isDeepStrictEqual(caller.party, callee.party)) throw new Problem('callee_invalid', 'callee is the caller.')
  const emergency = callee.party.kind === 'emergency'
  // Whom the rescue services can call back is no matter of taste, and nobody is refused for a mistake in it.
  const callerId = emergency || wish.callerId === undefined ? undefined : readCallerId(account, wish.callerId)

  demandOwnCaller(user, caller)
  if (emergency) demandInsideCaller(caller)
  else await demandAllowed(read, account, [caller, callee], callerId)

  const paid = paidLegs({ caller, callee })
  await carryOut(
    parts,
    account.id,
    async (tables) => {
      const destinations = paid.map(({ costs }) => costs)
      const reservation = await reserveCall(tables, parts.clock, { payer: account, sessionId, purpose: 'CALL', destinations })
      return emergency ? reservation : withinCaps(tables, parts.clock.now(), account.id, reservation)
    },
    () =>
      parts.line.startCall({
        sessionId,
        accountId: account.id,
        userId: user.userId,
        caller: caller.party,
        callee: callee.party,
        paidLegs: paid.map(({ leg }) => leg),
        deviceId: caller.device?.id,
        callerId,
      }),
  )
}

const paidLegs = (sides: Record<'caller' | 'callee', Side>) =>
  (['caller', 'callee'] as const).flatMap((leg) => {
    const { costs } = sides[leg]
    return costs === undefined ? [] : [{ leg, costs }]
  })

/** The reservation holds the lock on the account's purse, so that parallel requests are counted one after the other. */
const withinCaps = async (tables: Tables, now: number, accountId: string, reservation: Reservation): Promise<Reservation> => {
  const others = await tables.balances.countSessions(accountId, 'CALL', { than: reservation.sessionId, since: now - 1000 })
  if (others.open >= mostPaidLegs) throw new Problem('rate_limited', `Only ${mostPaidLegs} such calls run at a time.`, { retryAfter: 10 })
  if (others.started >= startedPerSecond)
    throw new Problem('rate_limited', `An account starts ${startedPerSecond} calls per second.`, { retryAfter: 1 })
  return reservation
}

export const readCallerId = ({ country }: Account, callerId: string): string => {
  const number = parseNumber(callerId, country)
  if (!number) throw Problem.field('callerId', 'is not a valid phone number', 'number_invalid')
  return number.e164
}

/** Emergency calls are never charged; so that nobody talks to another number for nothing, they start at a device of the account. */
const demandInsideCaller = ({ costs, party }: CallingSide): void => {
  if (costs !== undefined || party.kind !== 'extension')
    throw new Problem('call_not_allowed', 'The rescue services can only be called from a device of the account.')
}

const demandAllowed = async (tables: Tables, account: Account, sides: Side[], callerId: string | undefined): Promise<void> => {
  if (callerId !== undefined) await demandOwnNumber(tables, account.id, callerId)
  if (sides.some(({ premium }) => premium)) throw new Problem('destination_blocked')
}

/** Only numbers of the account may be shown to others: everything else would be somebody else's name. */
export const demandOwnNumber = async (tables: Tables, accountId: string, e164: string): Promise<void> => {
  const own = await tables.numbers.findByE164(accountId, e164)
  if (own?.state !== 'ACTIVE') throw new Problem('caller_id_not_owned')
}
