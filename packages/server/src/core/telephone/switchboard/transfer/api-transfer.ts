import { Problem } from '@offhook/contract/problem.ts'
import type { Call } from '#core/telephone/call/call.ts'
import type { Consulting, TransferWish } from '#core/telephone/call/state/transfer-wish.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import { assistantOf } from '#core/telephone/call/state/taker.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import { MusicOnHold } from './music-on-hold.ts'
import type { SwitchboardContext } from '../find/switchboard-context.ts'
import { Inquiry } from './inquiry.ts'
import { mostTransfers, type Plan } from '../plan/plan.ts'
import { transferProblem } from '../find/transfer-problem.ts'
import { aimOfUser } from '../find/user-aim.ts'

/** The account's phone, and the party that it talks with. */
interface Pair {
  leaving: Party
  waiting: Party
}

/**
 * A user wants a call of the account to be transferred. Resolves when the target rings or has answered; throws a Problem when it will not,
 * and then nothing has changed. While the target is called other commands find a busy call; the same request again waits for the same.
 */
export const transferForUser = async (context: SwitchboardContext, call: Call, wish: TransferWish): Promise<void> => {
  const { rings } = await call.inTurn(async () => {
    if (!call.accounts.involves(wish.accountId)) throw new Problem('call_not_found')
    const { consultation, wished } = call.progress
    if (consultation) return { rings: await decide(consultation, wish) }
    if (wished && isSame(wished.wish, wish)) return wished
    const rings = begin(context, call, wish)
    call.progress.keepWish({ wish, rings })
    return { rings }
  })
  await rings
}

const isSame = (one: TransferWish, other: TransferWish): boolean =>
  one.accountId === other.accountId && one.to === other.to && one.attended === other.attended && one.callerId === other.callerId

/** The same request again changes nothing; the same without `attended` completes the consultation. */
const decide = async (consultation: Consulting, { accountId, to, attended }: TransferWish): Promise<void> => {
  if (consultation.accountId !== accountId) throw new Problem('call_not_in_state')
  if (consultation.to !== to) throw new Problem('call_not_in_state', 'Somebody else is already being asked.')
  if (!attended) await consultation.complete()()
}

const begin = (context: SwitchboardContext, call: Call, wish: TransferWish): Promise<void> => {
  const { accountId, attended } = wish
  const assistant = assistantOf(call.taker)
  if (call.progress.state !== 'active') throw new Problem('call_not_in_state')
  if (call.progress.transfers >= mostTransfers) throw transferProblem('loop')
  if (assistant && (attended || assistant.accountId !== accountId))
    throw new Problem('call_not_in_state', 'An assistant has the call: only its account can transfer it, and nobody can ask first.')
  if (assistant) return assistant.transfer(wish)
  const pair = pairOf(call, wish)
  if (!pair) throw new Problem('call_not_in_state', 'This call does not have two parties that talk to each other.')
  return attended ? consult(context, call, pair, wish) : transferUnattended(context, call, pair, wish)
}

/** The phone of the asking user leaves; of two, when none or both are this user's, the one that was called. */
const pairOf = (call: Call, { accountId, userId }: TransferWish): Pair | undefined => {
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
const transferUnattended = (context: SwitchboardContext, call: Call, { leaving, waiting }: Pair, wish: TransferWish): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const musicOnHold = new MusicOnHold(call, leaving)
  const ringing = (): void => {
    if (call.parties.includes(leaving)) musicOnHold.listen()
    resolve()
  }
  const done = (plan: Plan): void => {
    call.details.transferred(wish.accountId, plan)
    resolve()
  }
  const failed = (cause: Cause): void => {
    reject(transferProblem(cause))
    if (!call.end) call.alongside(call.inTurn(musicOnHold.back()))
  }
  const options = { waiting, leaving, role: leaving.role, failureCounts: false, ringing, done, failed }
  call.alongside(context.replace(call, options, () => aimOfUser(context, call, wish, { station: leaving.station, waiting })))
  return promise
}

/** The other party waits while the account's phone talks with a third one that may then take its place. */
const consult = (context: SwitchboardContext, call: Call, { leaving: owner, waiting }: Pair, wish: TransferWish): Promise<void> => {
  const inquiry = new Inquiry(context, call, { owner, waiting, wish })
  call.alongside(inquiry.run(() => aimOfUser(context, call, wish, { station: owner.station, waiting: undefined })))
  return inquiry.rings
}
