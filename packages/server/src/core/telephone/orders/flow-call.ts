import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { parseNumber, type PhoneNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { IncomingTrace } from '#core/kernel/trace/tracer.ts'
import { carryOut, orderingAccount, type SessionDeps } from '#core/money/paid-order.ts'
import { reserveOnLeash } from '#core/money/leash.ts'
import { outside } from './parties.ts'
import { reserveCapped, type Caps } from '#core/money/reserve-capped.ts'
import { requireOwnNumber } from './start-call.ts'

export interface FlowCallRequest {
  flowId: string
  billingDevice: string
  toPhoneNumber: string
  trace?: IncomingTrace | undefined
}

const caps: Caps = { openAtOnce: 10, startedPerSecond: 1, what: 'calls of assistants' }

/** An assistant makes a call; the callee sees the flow's own number. */
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
        trace: input.trace,
      }),
  )
}

/** Digits of E.164; one plus sign in front is forgiven. */
const readTarget = ({ country }: Account, toPhoneNumber: string): PhoneNumber => {
  const digits = toPhoneNumber.replace(/^\+/, '')
  const number = /^[1-9]\d{6,14}$/.test(digits) ? parseNumber(`+${digits}`, country) : undefined
  if (!number) throw Problem.field('toPhoneNumber', 'must be a valid number in E.164 without the plus sign')
  return number
}
