import type { RejectionCause } from '#core/telephone/call/state/call-details.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import { announce, takeMessage } from './unanswered.ts'
import { highestPriorityCause } from '../inbound/causes.ts'
import { behindNumberOrExtension } from '../inbound/destination.ts'
import { guideInbound } from '../webhook-control/guided-inbound.ts'
import { listenToMessages } from './listen-to-messages.ts'
import { planDestination } from '../plan/plan-place.ts'
import { chosenOverflow } from '../plan/plan-rules.ts'
import { maxHops, type Outcome, type Plan, type Step, type DiversionHistory } from '../plan/plan.ts'
import { ringPhones } from '../search/ringing.ts'
import { runFlow } from './assistant-call.ts'
import { type Search, pickUp } from '../search/search.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import { phone } from '#core/telephone/call/state/assistant-party.ts'
import type { Brief } from '#core/kernel/ports/assistant.ts'
import { causeOfExhaustion } from '#core/telephone/call/money/meter.ts'

/** Runs a plan step by step until the call is answered or `until` is reached. */
export const follow = async (search: Search, plan: Plan, diverted: DiversionHistory, until: number): Promise<Outcome> => {
  if (search.call.end) return 'normal'
  if (!search.enter(plan)) return 'loop'
  const guided = await guideInbound(search, plan, diverted)
  const limits = { diverted, until }
  const outcome =
    typeof guided === 'string' ? guided : await search.showing(guided.seenAs, () => takePlan(search, asGuided(guided.plan, plan), limits))
  if (outcome !== 'taken') search.leave(plan, outcome)
  return outcome
}

/** Routing rules of the account do not apply to the webhook's decision. */
const asGuided = (guided: Plan, plan: Plan): Plan => {
  if (guided.steps === plan.steps) return guided
  const { place, called, steps } = guided
  return { place, called, steps }
}

const takePlan = async (search: Search, plan: Plan, limits: Limits): Promise<Outcome> => {
  const { place, overflow, routed } = plan
  if (place && routed) search.call.timeline.routed(place.accountId, routed)
  if (!place || !overflow) return takeSteps(search, plan, limits)
  const { seconds, voicemail } = overflow
  const until = seconds === undefined ? limits.until : Math.min(limits.until, search.now + seconds * 1000)
  const outcome = await takeSteps(search, plan, { ...limits, until })
  if (outcome === 'taken' || search.call.end) return outcome
  const chosen = chosenOverflow(overflow, outcome)
  if (chosen) search.call.timeline.routed(place.accountId, chosen.routed)
  const steps = chosen ? [chosen.step, ...(isLast(chosen.step) ? [] : voicemail)] : voicemail
  if (steps.length === 0) return outcome
  const later = await takeSteps(search, { ...plan, steps }, limits)
  return later === 'taken' ? later : highestPriorityCause([outcome, later])
}

/** A rejection or an unavailable announcement is final. */
const isLast = ({ kind }: Step): boolean => kind === 'reject' || kind === 'announce'

const takeSteps = async (search: Search, plan: Plan, limits: Limits): Promise<Outcome> => {
  const causes: Cause[] = []
  for (const step of plan.steps) {
    if (search.call.end) break
    if (search.now >= limits.until && !waitsForever(search, step, limits.until)) continue
    const outcome = await take(search, plan, step, limits)
    if (outcome === 'taken') return outcome
    causes.push(outcome)
  }
  return highestPriorityCause(causes.length > 0 ? causes : ['no_answer'])
}

/** A caller who has waited for the maximum time can still leave a message. */
const waitsForever = ({ until: maxLength }: Search, step: Step, until: number): boolean => until >= maxLength && step.kind === 'voicemail'

interface Limits {
  diverted: DiversionHistory
  until: number
}

const take = (search: Search, plan: Plan, step: Step, { diverted, until }: Limits): Promise<Outcome> => {
  const end = (seconds: number): number => Math.min(until, search.now + seconds * 1000)
  switch (step.kind) {
    case 'ring':
      return ring(search, plan, step, { diverted, until: end(step.seconds) })
    case 'forward':
      return forward(search, plan, step, { diverted, until: end(step.seconds) })
    case 'voicemail':
      return search.peopleOnly ? Promise.resolve('unavailable') : takeMessage(search, plan, step.voicemailId)
    case 'fax':
      return search.peopleOnly ? Promise.resolve('unavailable') : receiveFax(search, plan, step.faxlineId)
    case 'flow':
      return search.peopleOnly ? Promise.resolve('unavailable') : runFlow(search, plan, diverted, step)
    case 'announce':
      return search.peopleOnly ? Promise.resolve('unavailable') : announce(search, plan, step.prompt)
    case 'messages':
      return search.peopleOnly ? Promise.resolve('unavailable') : listenToMessages(search)
    case 'reject':
    default:
      return Promise.resolve(reject(search, plan, step.cause))
  }
}

const reject = (search: Search, { place }: Plan, cause: RejectionCause): Cause => {
  if (place) search.call.details.rejected(place.accountId, cause)
  return cause === 'busy_on_busy' ? 'busy' : cause
}

const ring = async (search: Search, plan: Plan, step: Step & { kind: 'ring' }, { diverted, until }: Limits): Promise<Outcome> => {
  if (step.phones.length === 0) return step.ifNone
  const wornOut = plan.place !== undefined && diverted.hops >= maxHops
  const phones = wornOut ? step.phones.filter(({ kind }) => kind === 'device') : step.phones
  if (phones.length === 0) return 'loop'
  // Ringing an external phone for an account counts as forwarding.
  const outsideDiverted = plan.place ? divertedBy(plan, diverted) : diverted
  const found = await ringPhones(search, { phones, diverted, outsideDiverted, called: plan.called, line: plan.place?.alias, until })
  if (typeof found === 'string') return plan.place ? maskCause(found) : found
  return connect(search, found)
}

/** Extension names are not shown to others. */
const divertedBy = ({ called }: Plan, { diversions, hops }: DiversionHistory): DiversionHistory => ({
  diversions: called.startsWith('+') ? [called, ...diversions] : diversions,
  hops: hops + 1,
})

/** Forwards to an extension of the account, a number in service here, or an external number at the account's cost. */
const forward = async (
  search: Search,
  plan: Plan,
  { to, ordered }: Step & { kind: 'forward' },
  { diverted, until }: Limits,
): Promise<Outcome> => {
  const { place } = plan
  if (!place || diverted.hops >= maxHops) return 'loop'
  const next = await search.context.tasks.track(planNext(search, place.accountId, to))
  if (!ordered) search.forward()
  if (next.place?.accountId !== place.accountId) search.call.details.forwarded(place.accountId, to)
  const outcome = await follow(search, next, divertedBy(plan, diverted), until)
  return outcome === 'taken' ? outcome : maskCause(outcome)
}

/** Hides the callee's billing problems from callers. */
const calleeOnlyCauses: readonly Cause[] = ['payment_required', 'daily_limit_reached', 'call_limit_reached', 'forbidden']
const maskCause = (cause: Cause): Cause => (calleeOnlyCauses.includes(cause) ? 'unavailable' : cause)

const planNext = async ({ context, circumstances }: Search, accountId: string, to: string): Promise<Plan> => {
  const { read } = context.store
  const [account, destination] = await Promise.all([read.accounts.find(accountId), behindNumberOrExtension(read, accountId, to)])
  return planDestination(read, destination, account, circumstances)
}

/** Maximum length of a T.30 station id: digits and signs. */
const maxStationIdLength = 20

/** Answers as a fax machine and stores the pages. A caller who is already connected is not transferred to it. */
const receiveFax = async (search: Search, plan: Plan, faxlineId: string): Promise<Outcome> => {
  const { call, waiting, context } = search
  const { place, called } = plan
  if (!place || !waiting || waiting.leg.answered || context.telephony.faxMissing !== undefined) return 'unavailable'
  const { accountId, userId } = place
  if (await context.mayRecord(accountId)) return 'unavailable'
  const sender = search.callerSeenIn(accountId)
  const fax = await context.faxes.begin({ callId: call.id, accountId, userId, faxlineId, sender, recipient: called })
  const leg = call.end ? undefined : waiting.leg.asFax()
  if (!leg) {
    await fax.end(undefined)
    return 'normal'
  }
  call.details.takesFax(accountId, faxlineId)
  search.taken({ kind: 'fax', accountId })
  const received = leg.receive({ file: fax.file, station: called.slice(0, maxStationIdLength) })
  call.beforeClose(async () => {
    void leg.hangUp('normal').catch((error: unknown) => context.onFailure(error, call.id))
    await fax.end(await received)
  })
  await received
  call.finish({ by: 'callee', reason: 'callee_hangup', cause: 'normal' })
  return 'taken'
}

/** Connects the waiting party with the one that answered, unless the call has just ended. */
const connect = async (search: Search, party: Party): Promise<Outcome> => {
  const { call, waiting } = search
  call.admit(party)
  if (call.end) return 'normal'
  const refusal = await briefTarget(search, party)
  if (refusal) return refusal
  // Bridged before the caller's answer is confirmed, so that the first word is not lost.
  for (const one of waiting ? [waiting, party] : []) search.bridge.add(one.leg)
  search.taken(phone, party)
  if (waiting) await pickUp(waiting.leg)
  return 'taken'
}

/**
 * Briefs the party that answered, apart from the waiting party; the time does not count as ringing. Returns the cause when the two must not be
 * connected; that phone has then left the call.
 */
const briefTarget = async (search: Search, target: Party): Promise<Cause | undefined> => {
  const { call, brief } = search
  if (!brief) return undefined
  call.progress.brief(target)
  const decided = await search.apart(() => decision(search, target, brief))
  if (call.end) return 'normal'
  call.progress.brief(undefined)
  const stays = call.parties.includes(target)
  if (decided !== 'accepted' || !stays) {
    if (stays) call.release(target)
    return decided === 'accepted' ? 'rejected' : decided
  }
  call.expenses.heed(target)
  return undefined
}

/** Missing funds for the target's leg need not end the call: the waiting party costs no more than before. */
const decision = ({ call, context }: Search, { leg, meter }: Party, brief: Brief): Promise<'accepted' | Cause> => {
  const { promise: unpaid, resolve } = Promise.withResolvers<Cause>()
  meter?.notify({
    runsOut: (_ms, why) => resolve(causeOfExhaustion(why)),
    unknown: () => resolve('failed'),
    isOurs: (tables) => call.books.isOurs(tables),
  })
  const briefed = brief(leg).catch((error: unknown): Cause => {
    context.onFailure(error, call.id)
    return 'failed'
  })
  return Promise.race([briefed, unpaid, call.over.then((): Cause => 'normal')])
}
