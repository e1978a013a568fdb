import type { RejectionCause } from '#core/telephone/call/state/call-details.ts'
import type { Cause } from '#core/kernel/ports/telephony.ts'
import { announce } from './announce.ts'
import { highestPriorityCause } from '../inbound/causes.ts'
import { connect } from '../search/connect.ts'
import { behindNumberOrExtension } from '../inbound/destination.ts'
import { guideInbound } from '../webhook-control/guided-inbound.ts'
import { listenToMessages } from './listen-to-messages.ts'
import { planDestination } from '../plan/plan-destination.ts'
import { chosenOverflow } from '../plan/plan-overflow.ts'
import { maxHops, type Outcome, type Plan, type Step, type DiversionHistory } from '../plan/plan.ts'
import { receiveFax } from './receive-fax.ts'
import { ringPhones } from '../search/ringing.ts'
import { runFlow } from './run-flow.ts'
import type { Search } from '../search/search.ts'
import { takeMessage } from './take-message.ts'

/** Carries out a plan, step by step, until the call is taken or `until` is reached. */
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

/** What the account's software makes of a call is not subject to its rules. */
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

/** Who refuses, or says that nobody is there, means it. */
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

/** A caller who has waited for the longest time allowed can still leave a message. */
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
  // For a phone in another network that rings for an account, the call is forwarded.
  const outsideDiverted = plan.place ? divertedBy(plan, diverted) : diverted
  const found = await ringPhones(search, { phones, diverted, outsideDiverted, called: plan.called, line: plan.place?.alias, until })
  if (typeof found === 'string') return plan.place ? maskCause(found) : found
  return connect(search, found)
}

/** Names of extensions mean nothing to others. */
const divertedBy = ({ called }: Plan, { diversions, hops }: DiversionHistory): DiversionHistory => ({
  diversions: called.startsWith('+') ? [called, ...diversions] : diversions,
  hops: hops + 1,
})

/** To an extension of the account, a number that is in service here, or a number outside at the account's cost. */
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

/** That an account cannot or may not pay for forwarding is not its callers' business. */
const calleeOnlyCauses: readonly Cause[] = ['payment_required', 'daily_limit_reached', 'call_limit_reached', 'forbidden']
const maskCause = (cause: Cause): Cause => (calleeOnlyCauses.includes(cause) ? 'unavailable' : cause)

const planNext = async ({ context, circumstances }: Search, accountId: string, to: string): Promise<Plan> => {
  const { read } = context.store
  const [account, destination] = await Promise.all([read.accounts.find(accountId), behindNumberOrExtension(read, accountId, to)])
  return planDestination(read, destination, account, circumstances)
}
