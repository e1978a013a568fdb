import { isDeepStrictEqual } from 'node:util'
import { requireFittingVariables, type Variables } from '@offhook/contract/assistant/variables.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { anonymous, effectiveCallerId } from '#core/account/devices/caller-id.ts'
import { isOpen, rateOf } from '#core/money/rates.ts'
import { limitsOf } from '#core/money/limits.ts'
import { reserveOnLeash } from '#core/money/leash.ts'
import { reserveCall } from '#core/money/reservations.ts'
import { parseNumber, type PhoneNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { CallOrder } from '#core/kernel/ports/calls.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Device } from '#core/kernel/ports/store/device.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { IncomingTrace } from '#core/kernel/trace/tracer.ts'
import { carryOut, orderingAccount, type SessionDeps } from '#core/money/paid-order.ts'
import { requireOwnCaller, readCallee, readCaller, voicemailAccess, type CallingSide, type Side, outside } from './parties.ts'
import { reserveCapped, type Caps } from '#core/money/reserve-capped.ts'

export interface CallRequest {
  caller: string
  callee: string
  deviceId?: string
  callerId?: string
  trace?: IncomingTrace | undefined
}

/** Faster than any user clicks, but stops a program with a stolen token. Includes calls of the account's own phones and forwardings. */
const capsOf = async (tables: Tables, accountId: string): Promise<Caps> => {
  const { paidCalls } = await limitsOf(tables, accountId)
  return { openAtOnce: paidCalls, startedPerSecond: 2, what: 'calls of an account' }
}

/** Rings the caller's phone, then the callee's. Reports invalid input first, then missing permission, then missing funds. */
export const startCall = async (deps: SessionDeps, user: UserCaller, sessionId: string, input: CallRequest): Promise<void> => {
  const { store, clock, orders } = deps
  const { read } = store
  const account = await orderingAccount(store, user.accountId)
  const caller = await readCaller(read, account, input)
  const callee = await readCalled(read, account, input.callee, caller.device)
  if (isDeepStrictEqual(caller.party, callee.party)) throw new Problem('callee_invalid', 'callee and caller are the same.')
  const emergency = callee.party.kind === 'emergency'
  // The callback number of an emergency call is not selectable, and a wrong callerId must not reject the call.
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

/** Caller ID shown by default. */
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

/** Targets the leash must allow: the account's own phone that rings first is exempt, all others are not. */
const reachedBy = (caller: CallingSide, callee: CalledSide): string[] => {
  const own = caller.party.kind === 'extension' && caller.costs === undefined && !caller.party.id.startsWith('x')
  return [...(own ? [] : [targetOf(caller)]), ...(callee.party.kind === 'messages' ? [] : [targetOf(callee)])]
}

/** An external phone listed as a device is reached by its number. */
const targetOf = ({ party, costs }: CalledSide): string => {
  if (party.kind === 'number') return party.e164
  if (party.kind === 'extension') return costs ?? party.id
  if (party.kind === 'short') return party.digits
  return party.kind === 'emergency' ? party.dialled : ''
}

export const readCallerId = ({ country }: Account, callerId: string): string => {
  const number = parseNumber(callerId, country)
  if (!number) throw Problem.field('callerId', 'is not a valid phone number', 'number_invalid')
  return number.e164
}

/**
 * Emergency calls are free, so they must start at a device of the account; otherwise they could be used for free calls to another number.
 * Messages are played on the answering phone, which must belong to the account.
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
    const rate = costs === undefined ? undefined : await rateOf(tables, account, 'CALL', costs, at)
    const unpriced = costs !== undefined && (!rate || rate.blocked)
    if (premium || unpriced) throw Problem.field(leg, 'cannot be called from this account', 'destination_blocked')
    if (costs !== undefined && !isOpen(costs, account.country, opened))
      throw Problem.field(leg, 'is closed for this account', 'destination_closed')
  }
}

/** Only numbers of the account may be shown; any other would be spoofing. */
export const requireOwnNumber = async (tables: Tables, accountId: string, e164: string, field = 'callerId'): Promise<void> => {
  const own = await tables.numbers.findByE164(accountId, e164)
  if (own?.state !== 'ACTIVE') throw Problem.field(field, 'is not a number of this account', 'caller_id_not_owned')
}

interface FlowCallRequest {
  flowId: string
  billingDevice: string
  toPhoneNumber: string
  variables?: Variables
  correlationId?: string
  trace?: IncomingTrace | undefined
}

const caps: Caps = { openAtOnce: 10, startedPerSecond: 1, what: 'calls of assistants' }

/** Originates a call of an assistant; the callee sees the flow's own number. */
export const startFlowCall = async (deps: SessionDeps, user: UserCaller, sessionId: string, input: FlowCallRequest): Promise<void> => {
  const { read } = deps.store
  const account = await orderingAccount(deps.store, user.accountId)
  const callee = readTarget(account, input.toPhoneNumber)
  const flow = await read.flows.find(account.id, input.flowId)
  if (!flow) throw new Problem('flow_not_found')
  if (flow.settings.phoneNumber === undefined) throw new Problem('flow_without_number')
  const callerId = `+${flow.settings.phoneNumber}`
  if (!(await read.devices.find(account.id, input.billingDevice))) throw Problem.field('billingDevice', 'is not a device of the account')
  await requireOwnNumber(read, account.id, callerId, 'phone_number')
  if (callee.premium) throw new Problem('destination_blocked')
  requireFittingVariables('variables', input.variables, flow.settings.variables)

  const { party, costs } = await outside(read, callee)
  await carryOut(
    deps,
    user,
    (tables) => {
      const by = { userId: user.userId, number: callerId }
      const money = { payer: account, sessionId, purpose: 'FLOW', destinations: costs === undefined ? [] : [costs], by } as const
      const order = { sessionId, kind: 'call', targets: [callee.e164], at: deps.clock.now() } as const
      return reserveOnLeash(tables, deps.clock, user, order, (leash) => reserveCapped(tables, deps.clock, { ...money, leash }, caps))
    },
    () =>
      deps.orders.startCall({
        sessionId,
        accountId: account.id,
        userId: user.userId,
        caller: { kind: 'flow', id: flow.id },
        callee: party,
        paidLegs: costs === undefined ? [] : ['callee'],
        deviceId: input.billingDevice,
        callerId,
        variables: input.variables,
        correlationId: input.correlationId,
        trace: input.trace,
      }),
  )
}

/** E.164 digits; a leading plus sign is accepted. */
const readTarget = ({ country }: Account, toPhoneNumber: string): PhoneNumber => {
  const digits = toPhoneNumber.replace(/^\+/, '')
  const number = /^[1-9]\d{6,14}$/.test(digits) ? parseNumber(`+${digits}`, country) : undefined
  if (!number) throw Problem.field('toPhoneNumber', 'must be a valid number in E.164 without the plus sign')
  return number
}
