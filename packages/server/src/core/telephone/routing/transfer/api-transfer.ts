import { Problem } from '@offhook/contract/problem.ts'
import type { Call } from '#core/telephone/call/call.ts'
import type { Consulting, TransferRequest } from '#core/telephone/call/state/transfer-request.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import { assistantOf } from '#core/telephone/call/state/assistant-party.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import { MusicOnHold } from './music-on-hold.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import { Inquiry } from './inquiry.ts'
import { maxTransfers, type Plan } from '../plan/plan.ts'
import { transferProblem, userRingTarget } from '../search/ring-target.ts'

/** The account's phone and the party it talks with. */
interface Pair {
  leaving: Party
  waiting: Party
}

/**
 * Transfers a call on a user's request. Resolves when the target rings or has answered; throws a Problem when neither happens, leaving the call
 * unchanged. While the target is called, other commands are rejected; a repeated request waits for the same result.
 */
export const transferForUser = async (context: RoutingContext, call: Call, input: TransferRequest): Promise<void> => {
  const { rings } = await call.inTurn(async () => {
    if (!call.accounts.involves(input.accountId)) throw new Problem('call_not_found')
    const { consultation, wished: requested } = call.progress
    if (consultation) return { rings: await decide(consultation, input) }
    if (requested && isSame(requested.wish, input)) return requested
    const rings = begin(context, call, input)
    call.progress.keepWish({ wish: input, rings })
    return { rings }
  })
  await rings
}

const isSame = (one: TransferRequest, other: TransferRequest): boolean =>
  one.accountId === other.accountId && one.to === other.to && one.attended === other.attended && one.callerId === other.callerId

/** A repeated request changes nothing; the same request without `attended` completes the consultation. */
const decide = async (consultation: Consulting, { accountId, to, attended }: TransferRequest): Promise<void> => {
  if (consultation.accountId !== accountId) throw new Problem('call_not_in_state')
  if (consultation.to !== to) throw new Problem('call_not_in_state', 'Somebody else is already being asked.')
  if (!attended) await consultation.complete()()
}

const begin = (context: RoutingContext, call: Call, input: TransferRequest): Promise<void> => {
  const { accountId, attended } = input
  const assistant = assistantOf(call.callHandler)
  if (call.progress.state !== 'active') throw new Problem('call_not_in_state')
  if (call.progress.transfers >= maxTransfers) throw transferProblem('loop')
  if (assistant && (attended || assistant.accountId !== accountId))
    throw new Problem('call_not_in_state', 'An assistant has the call: only its account can transfer it, and nobody can ask first.')
  if (assistant) return assistant.transfer(input)
  const pair = pairOf(call, input)
  if (!pair) throw new Problem('call_not_in_state', 'This call does not have two parties that talk to each other.')
  return attended ? consult(context, call, pair, input) : transferUnattended(context, call, pair, input)
}

/** The requesting user's phone leaves; if neither or both are theirs, the called one. */
const pairOf = (call: Call, { accountId, userId }: TransferRequest): Pair | undefined => {
  if (call.parties.length !== 2) return undefined
  const own = ownParties(call, accountId)
  const theirs = own.filter(({ station }) => station?.userId === userId)
  const candidates = theirs.length === 1 ? theirs : own
  const leaving = candidates.length === 1 ? candidates[0] : candidates.find(({ role }) => role === 'callee')
  const waiting = call.parties.find((party) => party !== leaving)
  return leaving && waiting && { leaving, waiting }
}

/** The account's phones; else the party it originated the call for; else the parties it pays for. */
const ownParties = (call: Call, accountId: string): Party[] => {
  const { parties } = call
  const phones = parties.filter(({ station }) => station?.accountId === accountId)
  if (phones.length > 0) return phones
  const callers = parties.filter((party) => call.attendance.orderedBy(party) === accountId)
  return callers.length > 0 ? callers : parties.filter(({ meter }) => meter?.accountId === accountId)
}

/** The two keep talking until the target rings. Then one hears ringback and the other music. */
const transferUnattended = (context: RoutingContext, call: Call, { leaving, waiting }: Pair, input: TransferRequest): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const musicOnHold = new MusicOnHold(call, leaving)
  const ringing = (): void => {
    if (call.parties.includes(leaving)) musicOnHold.listen()
    resolve()
  }
  const done = (plan: Plan): void => {
    call.details.transferred(input.accountId, plan)
    resolve()
  }
  const failed = (cause: Cause): void => {
    reject(transferProblem(cause))
    if (!call.end) call.track(call.inTurn(musicOnHold.back()))
  }
  const options = { waiting, leaving, role: leaving.role, failureCounts: false, ringing, done, failed }
  call.track(context.replace(call, options, () => userRingTarget(context, call, input, { station: leaving.station, waiting })))
  return promise
}

/** The other party waits while the account's phone talks with a third party that may take its place. */
const consult = (context: RoutingContext, call: Call, { leaving: owner, waiting }: Pair, input: TransferRequest): Promise<void> => {
  const inquiry = new Inquiry(context, call, { owner, waiting, wish: input })
  call.track(inquiry.run(() => userRingTarget(context, call, input, { station: owner.station, waiting: undefined })))
  return inquiry.rings
}
