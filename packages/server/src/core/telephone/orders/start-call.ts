import { isDeepStrictEqual } from 'node:util'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { anonymous, effectiveCallerId } from '#core/account/devices/caller-id.ts'
import { isOpen } from '#core/money/destinations.ts'
import { limitsOf } from '#core/money/limits.ts'
import { reserveOnLeash } from '#core/money/leash.ts'
import { reserveCall } from '#core/money/reservations.ts'
import { rateOf } from '#core/money/rates.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { CallOrder } from '#core/kernel/ports/orders.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Device } from '#core/kernel/ports/store/device/devices.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { IncomingTrace } from '#core/kernel/trace/tracer.ts'
import { carryOut, orderingAccount, type SessionDeps } from '#core/money/paid-order.ts'
import { requireOwnCaller, readCallee, readCaller, voicemailAccess, type CallingSide, type Side } from './parties.ts'
import { reserveCapped, type Caps } from '#core/money/reserve-capped.ts'

export interface CallRequest {
  caller: string
  callee: string
  deviceId?: string
  callerId?: string
  trace?: IncomingTrace | undefined
}

/** No user clicks faster, but a program with a stolen token would. Also the account's own phones and forwardings are counted. */
const capsOf = async (tables: Tables, accountId: string): Promise<Caps> => {
  const { paidCalls } = await limitsOf(tables, accountId)
  return { openAtOnce: paidCalls, startedPerSecond: 2, what: 'calls of an account' }
}

/** Rings the caller's phone and then the callee's. First what is wrong, then what is not allowed, then what cannot be paid. */
export const startCall = async (deps: SessionDeps, user: UserCaller, sessionId: string, input: CallRequest): Promise<void> => {
  const { store, clock, orders } = deps
  const { read } = store
  const account = await orderingAccount(store, user.accountId)
  const caller = await readCaller(read, account, input)
  const callee = await readCalled(read, account, input.callee, caller.device)
  if (isDeepStrictEqual(caller.party, callee.party)) throw new Problem('callee_invalid', 'callee and caller are the same.')
  const emergency = callee.party.kind === 'emergency'
  // Which number the emergency services can call back is no matter of taste, and no emergency call is refused for a mistake in it.
  const callerId = emergency || input.callerId === undefined ? undefined : readCallerId(account, input.callerId)

  requireOwnCaller(user, caller)
  requireNear(caller, callee)
  if (!emergency) await requireAllowed(read, account, { sides: { caller, callee }, callerId, at: clock.now() })

  const paid = paidLegs({ caller, callee })
  const by = { userId: user.userId, number: callerId ?? (await shownNumber(read, account.id, caller.device)) }
  const money = { payer: account, sessionId, purpose: 'CALL', destinations: paid.map(({ costs }) => costs), by } as const
  const leashed = { sessionId, kind: 'call', targets: reachedBy(caller, callee), at: clock.now() } as const
  await carryOut(
    deps,
    user,
    (tables) =>
      reserveOnLeash(tables, clock, user, leashed, async (leash) =>
        emergency
          ? reserveCall(tables, clock, { ...money, leash })
          : reserveCapped(tables, clock, { ...money, leash }, await capsOf(tables, account.id)),
      ),
    () =>
      orders.startCall({
        sessionId,
        accountId: account.id,
        userId: user.userId,
        caller: caller.party,
        callee: callee.party,
        paidLegs: paid.map(({ leg }) => leg),
        deviceId: caller.device?.id,
        callerId,
        trace: input.trace,
      }),
  )
}

/** What callees see unless the caller wants something else. */
const shownNumber = async (tables: Tables, accountId: string, device: Device | undefined): Promise<string | undefined> => {
  const shown = device && (await effectiveCallerId(tables, accountId, device))
  return shown === anonymous ? undefined : shown
}

type CalledSide = Omit<Side, 'party'> & { party: CallOrder['callee'] }
type Sides = Record<'caller' | 'callee', Pick<Side, 'costs' | 'premium'>>

const readCalled = async (tables: Tables, account: Account, callee: string, device: Device | undefined): Promise<CalledSide> =>
  callee.trim() === voicemailAccess ? { party: { kind: 'messages' } } : readCallee(tables, account, callee, device)

const legs = ['caller', 'callee'] as const

const paidLegs = (sides: Sides) =>
  legs.flatMap((leg) => {
    const { costs } = sides[leg]
    return costs === undefined ? [] : [{ leg, costs }]
  })

/** Whom a leash must allow: a phone of the account that rings first is at home, whatever else is called is not. */
const reachedBy = (caller: CallingSide, callee: CalledSide): string[] => {
  const own = caller.party.kind === 'extension' && caller.costs === undefined && !caller.party.id.startsWith('x')
  return [...(own ? [] : [targetOf(caller)]), ...(callee.party.kind === 'messages' ? [] : [targetOf(callee)])]
}

/** A phone of another network that is listed as a device is reached by its number. */
const targetOf = ({ party, costs }: CalledSide): string => {
  if (party.kind === 'number') return party.e164
  if (party.kind === 'extension') return costs ?? party.id
  return party.kind === 'emergency' ? party.dialled : ''
}

export const readCallerId = ({ country }: Account, callerId: string): string => {
  const number = parseNumber(callerId, country)
  if (!number) throw Problem.field('callerId', 'is not a valid phone number', 'number_invalid')
  return number.e164
}

/**
 * Emergency calls are never charged; so that they cannot be used to talk to another number for nothing, they start at a device of the account.
 * Messages are heard by the phone that picks up, and that is to be a phone of their owner.
 */
const requireNear = ({ party }: CallingSide, callee: CalledSide): void => {
  const near = party.kind === 'extension' && !party.id.startsWith('x')
  if (near) return
  if (callee.party.kind === 'emergency')
    throw new Problem('call_not_allowed', 'The rescue services can only be called from a device of the account, and caller is not one.')
  if (callee.party.kind === 'messages')
    throw new Problem('call_not_allowed', 'Messages can only be heard on a device of the account, and caller is not one.')
}

interface Allowed {
  sides: Sides
  callerId: string | undefined
  at: number
}

const requireAllowed = async (tables: Tables, account: Account, { sides, callerId, at }: Allowed): Promise<void> => {
  if (callerId !== undefined) await requireOwnNumber(tables, account.id, callerId)
  const { opened } = await limitsOf(tables, account.id)
  for (const leg of legs) {
    const { premium, costs } = sides[leg]
    const rate = costs === undefined ? undefined : await rateOf(tables, account.tariffId, 'CALL', costs, at)
    const unpriced = costs !== undefined && (!rate || rate.blocked)
    if (premium || unpriced) throw Problem.field(leg, 'cannot be called from this account', 'destination_blocked')
    if (costs !== undefined && !isOpen(costs, account.country, opened))
      throw Problem.field(leg, 'is closed for this account', 'destination_closed')
  }
}

/** Only numbers of the account may be shown to others: every other number would be spoofed. */
export const requireOwnNumber = async (tables: Tables, accountId: string, e164: string, field = 'callerId'): Promise<void> => {
  const own = await tables.numbers.findByE164(accountId, e164)
  if (own?.state !== 'ACTIVE') throw Problem.field(field, 'is not a number of this account', 'caller_id_not_owned')
}
