import { Problem } from '@offhook/contract/problem.ts'
import type { Call } from '#core/telephone/call/call.ts'
import type { Consulting, TransferRequest } from '#core/telephone/call/state/transfer-wish.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import { assistantOf } from '#core/telephone/call/state/taker.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import { MusicOnHold } from './music-on-hold.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import { Inquiry } from './inquiry.ts'
import { maxTransfers, type Plan } from '../plan/plan.ts'
import { transferProblem } from '../search/transfer-problem.ts'
import { userRingTarget } from '../search/user-ring-target.ts'

/** The account's phone, and the party that it talks with. */
interface Pair {
  leaving: Party
  waiting: Party
}

/**
 * A user wants a call of the account to be transferred. Resolves when the target rings or has answered; throws a Problem when it will not,
 * and then nothing has changed. While the target is called other commands find a busy call; the same request again waits for the same.
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

/** The same request again changes nothing; the same without `attended` completes the consultation. */
const decide = async (consultation: Consulting, { accountId, to, attended }: TransferRequest): Promise<void> => {
  if (consultation.accountId !== accountId) throw new Problem('call_not_in_state')
  if (consultation.to !== to) throw new Problem('call_not_in_state', 'Somebody else is already being asked.')
  if (!attended) await consultation.complete()()
}

const begin = (context: RoutingContext, call: Call, input: TransferRequest): Promise<void> => {
  const { accountId, attended } = input
  const assistant = assistantOf(call.taker)
  if (call.progress.state !== 'active') throw new Problem('call_not_in_state')
  if (call.progress.transfers >= maxTransfers) throw transferProblem('loop')
  if (assistant && (attended || assistant.accountId !== accountId))
    throw new Problem('call_not_in_state', 'An assistant has the call: only its account can transfer it, and nobody can ask first.')
  if (assistant) return assistant.transfer(input)
  const pair = pairOf(call, input)
  if (!pair) throw new Problem('call_not_in_state', 'This call does not have two parties that talk to each other.')
  return attended ? consult(context, call, pair, input) : transferUnattended(context, call, pair, input)
}

/** The phone of the asking user leaves; of two, when none or both are this user's, the one that was called. */
const pairOf = (call: Call, { accountId, userId }: TransferRequest): Pair | undefined => {
  if (call.parties.length !== 2) return undefined
  const own = ownParties(call, accountId)
  const theirs = own.filter(({ station }) => station?.userId === userId)
  const candidates = theirs.length === 1 ? theirs : own
  const leaving = candidates.length === 1 ? candidates[0] : candidates.find(({ role }) => role === 'callee')
  const waiting = call.parties.find((party) => party !== leaving)
  return leaving && waiting && { leaving, waiting }
}

/** Its phones; else the party for which it ordered the call; else the parties that it pays for. */
const ownParties = (call: Call, accountId: string): Party[] => {
  const { parties } = call
  const phones = parties.filter(({ station }) => station?.accountId === accountId)
  if (phones.length > 0) return phones
  const callers = parties.filter((party) => call.attendance.orderedBy(party) === accountId)
  return callers.length > 0 ? callers : parties.filter(({ meter }) => meter?.accountId === accountId)
}

/** Until the target rings, the two go on talking. Then one hears the ringing and the other music. */
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

/** The other party waits while the account's phone talks with a third one that may then take its place. */
const consult = (context: RoutingContext, call: Call, { leaving: owner, waiting }: Pair, input: TransferRequest): Promise<void> => {
  const inquiry = new Inquiry(context, call, { owner, waiting, wish: input })
  call.track(inquiry.run(() => userRingTarget(context, call, input, { station: owner.station, waiting: undefined })))
  return inquiry.rings
}
