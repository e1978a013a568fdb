import { randomUUID } from 'node:crypto'
import type { TestContext } from 'node:test'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { CallOrder } from '#core/kernel/ports/calls.ts'
import type { LeashRules } from '#core/kernel/ports/store/identity.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { sendSms } from '#core/messages/orders/send-sms.ts'
import type { SessionDeps } from '#core/money/paid-order.ts'
import { extendCall, settleCall } from '#core/money/reservations.ts'
import { startFlowCall, startCall } from '#core/telephone/orders/start-call.ts'
import { VirtualClock } from '../clock/virtual-clock.ts'
import { openTestStore } from '../store/databases.ts'
import { openRichAccount } from './rich-account.ts'
import type { Database } from './world.ts'

/** Attempts of a program with a leashed token. */
export type Attempt =
  | { do: 'call' | 'flow' | 'sms'; to: string; from?: string; key?: number; lineFails?: boolean }
  | { do: 'extend' | 'settle'; which: number; seconds: number }

interface Reached {
  kind: 'call' | 'sms'
  numbers: string[]
}

const allowed = ['+4921163554444', '+4915112*'] as const
export const limits: LeashRules & { callsPerDay: number; smsPerDay: number; maxSpend: number } = {
  allowedNumbers: [...allowed],
  callsPerDay: 4,
  smsPerDay: 5,
  maxSpend: 2_000,
}

/** Rich account, a token with a leash, and everything that reached the network. */
export const hostileToken = async (t: TestContext, database: Database) => {
  const store = await openTestStore(t, database)
  const clock = new VirtualClock()
  const reached = new Map<string, Reached>()
  let fails = false
  /** Like the telephone network: whoever claims the reservation executes the order, once. */
  const take = async ({ accountId, sessionId }: { accountId: string; sessionId: string }, what: Reached): Promise<void> => {
    if (fails) throw new Problem('line_unavailable')
    const claimed = await store.write((tables) => tables.balances.claim(accountId, sessionId, randomUUID()))
    if (claimed) reached.set(sessionId, what)
  }
  const orders: SessionDeps['orders'] = {
    startCall: (order) => take(order, { kind: 'call', numbers: [order.caller, order.callee].flatMap(numberOf) }),
    sendFax: () => Promise.reject(new Problem('line_unavailable')),
    sendSms: (order) => take(order, { kind: 'sms', numbers: [order.recipient] }),
  }
  const deps: SessionDeps = { store, clock, wake: () => {}, orders }
  const own = await store.write((tables) => openRichAccount(tables, clock))
  const { user } = own
  await store.write((tables) =>
    tables.leashes.set(user.accountId, { userId: user.userId, id: user.tokenId, holder: 'token', rules: limits }),
  )
  const ids = Array.from({ length: 8 }, () => randomUUID())
  const attempt = async (one: Attempt): Promise<void> => {
    if ('which' in one) return extendOrSettle(deps, user.accountId, [...reached.keys()][one.which % Math.max(1, reached.size)], one)
    const sessionId = one.key === undefined ? randomUUID() : ids[one.key % ids.length]!
    const { device, flowId, smsId } = own
    fails = one.lineFails ?? false
    if (one.do === 'sms') return sendSms(deps, user, sessionId, { smsId, recipient: one.to, message: 'x' })
    if (one.do === 'flow')
      return startFlowCall(deps, user, sessionId, { flowId, billingDevice: device, toPhoneNumber: one.to.replace('+', '') })
    await startCall(deps, user, sessionId, { caller: one.from ?? device, callee: one.to, deviceId: device })
  }
  /** All concurrently; rejections are expected. */
  const attack = (attempts: readonly Attempt[]) => Promise.allSettled(attempts.map(attempt))
  return { clock, attack, check: () => beyond(store.read, user, clock.now(), [...reached.values()]), reached }
}

const numberOf = (party: CallOrder['callee']): string[] => {
  if (party.kind === 'number') return [party.e164]
  if (party.kind === 'short') return [party.digits]
  return party.kind === 'emergency' ? [party.dialled] : []
}

const extendOrSettle = async (
  { store, clock }: SessionDeps,
  accountId: string,
  sessionId: string | undefined,
  { do: what, seconds }: { do: 'extend' | 'settle'; seconds: number },
): Promise<void> => {
  if (sessionId === undefined) return
  await store.write(async (tables) => {
    if (what === 'extend') await extendCall(tables, clock, { accountId, sessionId, seconds })
    else await settleCall(tables, clock, { accountId, sessionId, seconds: [seconds, seconds] })
  })
}

/** Violations of the leash on one day; expected to be empty. */
const beyond = async (tables: Tables, { accountId, userId, tokenId }: UserCaller, at: number, reached: Reached[]): Promise<string[]> => {
  const { calls, sms, spent } = await tables.balances.leashUse(accountId, `${userId}/${tokenId}`, at)
  const balance = await tables.balances.find(accountId)
  const gone = 100_000_000 - (balance?.amount ?? 0) + (balance?.reserved ?? 0)
  const count = (kind: Reached['kind']) => reached.filter((one) => one.kind === kind).length
  const strange = reached.flatMap(({ numbers }) => numbers).filter((number) => !isAllowed(number))
  return [
    ...strange.map((number) => `reached ${number}`),
    ...(Math.max(calls, count('call')) > limits.callsPerDay ? [`${calls} calls, ${count('call')} on the line`] : []),
    ...(Math.max(sms, count('sms')) > limits.smsPerDay ? [`${sms} messages, ${count('sms')} on the line`] : []),
    ...(Math.max(spent, gone) > limits.maxSpend ? [`${spent} counted, ${gone} gone`] : []),
  ]
}

const isAllowed = (number: string): boolean =>
  allowed.some((one) => (one.endsWith('*') ? number.startsWith(one.slice(0, -1)) : number === one))
