import { atMost } from '#core/kernel/work/waiting.ts'
import type { End, CallOrder } from '#core/kernel/ports/calls.ts'
import type { Call } from '#core/telephone/call/call.ts'
import { newParty, type Party } from '#core/telephone/call/state/party.ts'
import type { Prepaid } from '#core/telephone/call/money/prepaid.ts'
import { languageOf } from '#core/telephone/call/state/account-language.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Device } from '#core/kernel/ports/store/device.ts'
import type { CallerIdentity, Cause } from '#core/kernel/ports/telephony.ts'
import type { Sound } from '#core/kernel/ports/audio.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import { isLimit } from '../inbound/causes.ts'
import type { Identities } from '../inbound/request.ts'
import type { Destination } from '../inbound/destination.ts'
import { emergencyCaller } from '../emergency-caller.ts'
import { notDiverted, seekOrdered, type OrderedMeters } from './orders.ts'
import { ringSeconds, type Phone, type Plan } from '../plan/plan.ts'
import { ringPhones } from '../search/ringing.ts'
import { Search } from '../search/search.ts'

/** An originated call between two parties. */
interface CallBetween {
  order: CallOrder
  account: Account
  /** Device that represents the caller. */
  device: Device
  /** Phone lines of the caller. */
  lines: readonly string[]
  /** Reservation of the originate request. */
  money: Prepaid
  meters: OrderedMeters
  /** Phones that ring first. */
  phones: readonly Phone[]
  /** Their routing plan, if they belong to another account. */
  elsewhere: Plan | undefined
  destination: Destination
  /** Called number for the history. */
  to: string
  /** Identity shown on the caller's own phones while they ring: the callee. */
  shown: CallerIdentity
  /** Identity shown to the callee. */
  seenAs: Identities
}

/** Rings the caller, who then waits for the callee as if they had dialled; connects both. */
export const carryCall = async (context: RoutingContext, call: Call, input: CallBetween): Promise<void> => {
  begin(call, input)
  const caller = await ringCaller(context, call, input)
  if (!('leg' in caller)) return call.finish(caller)
  call.admit(caller, { orderedBy: input.account.id })
  if (call.end) return
  call.books.open() // the caller is on the line from now on
  if (caller.station?.accountId === input.account.id) call.details.calledFrom(input.account.id, caller.station.deviceId)
  await findCallee(context, call, input, caller)
}

const begin = (call: Call, { order, account, device, lines, money, to, seenAs }: CallBetween): void => {
  const { number, name } = seenAs.inside
  const { caller, deviceId } = order
  call.expenses.owe(money)
  const source = { number: number ?? device.id, alias: name }
  const connections = [...lines, ...(caller.kind === 'extension' ? [caller.id] : []), ...(deviceId === undefined ? [] : [deviceId])]
  call.started({ accountId: account.id, userId: order.userId, source, target: { number: to, alias: '' }, connections })
}

/** Trunks and other accounts see a number of the account, never the callee's: that would be spoofing. */
const ringCaller = async (context: RoutingContext, call: Call, input: CallBetween): Promise<Party | End> => {
  const { account, device, phones, elsewhere, shown } = input
  const { outside } = input.seenAs
  const search = new Search(context, call, {
    waiting: undefined,
    asking: { accountId: account.id },
    seenAs: { inside: shown, outside },
    onTaken: () => {},
  })
  if (elsewhere) search.enter(elsewhere)
  const until = context.clock.now() + ringSeconds * 1000
  const called = outside.number ?? device.id
  const found = await ringPhones(search, { phones, diverted: notDiverted, outsideDiverted: notDiverted, called, until })
  if (typeof found !== 'string') return newParty({ ...found, identity: outside, role: 'caller' })
  if (elsewhere) search.leave(elsewhere, found)
  const end = search.endOf(found)
  return end.by === 'callee' ? { ...end, by: 'caller' } : end
}

const findCallee = async (context: RoutingContext, call: Call, input: CallBetween, caller: Party): Promise<void> => {
  const { order, account, lines, to, meters } = input
  const { station } = caller
  const { seenAs, destination } = await context.tasks.track(seenByRescuers(context, input, caller))
  const search = new Search(context, call, {
    waiting: caller,
    asking: station?.accountId === account.id ? station : { accountId: account.id },
    seenAs,
    onTaken: (callHandler) => {
      if (station && station.accountId !== account.id) call.details.answered([station.accountId], station, context.clock.now())
      call.answered(callHandler)
    },
  })
  if (call.end) return
  search.ringback.ring()
  const outbound = { account, userId: order.userId, lines, destination, called: to }
  const outcome = await seekOrdered(search, outbound, { held: meters.callee })
  if (outcome === 'taken' || call.end) return
  search.ringback.stop()
  // Whatever the caller does now, this is the cause of the failure.
  call.details.rejected(account.id, outcome)
  await explain(call, caller, account.id, outcome)
  call.finish(search.endOf(outcome))
}

/** Caller information for the emergency services depends on the phone that answered. Returns other calls unchanged. */
const seenByRescuers = async (
  context: RoutingContext,
  { order, account, destination, seenAs }: CallBetween,
  { station }: Party,
): Promise<Pick<CallBetween, 'destination' | 'seenAs'>> => {
  const isEmergency = destination.kind === 'emergency'
  const device = isEmergency && station ? await context.store.read.devices.find(station.accountId, station.deviceId) : undefined
  const found = isEmergency && device ? await emergencyCaller(context, account, device, order.sessionId) : undefined
  if (!isEmergency || !found) return { destination, seenAs }
  const { location } = found
  return { destination: { ...destination, ...(location && { location }) }, seenAs: found.seenAs }
}

/** Milliseconds a busy tone plays so that the caller notices it. Prompts end on their own. */
const toneMs = 4_000
const maxSentenceMs = 8_000

/** The caller has already answered, so a hang-up alone does not explain the failure. */
const explain = async (call: Call, { leg }: Party, accountId: string, cause: Cause): Promise<void> => {
  const sound = apology(cause, await languageOf(call.context, accountId))
  if (call.end || cause === 'normal') return
  const loop = 'tone' in sound
  const playing = leg.audio.play(sound, { loop })
  await atMost(call.context.clock, loop ? toneMs : maxSentenceMs, Promise.race([playing.done, call.over]), undefined)
  playing.stop()
}

const busy: readonly Cause[] = ['busy', 'do_not_disturb', 'rejected', 'anonymity_refused']

const apology = (cause: Cause, language: string): Sound => {
  if (busy.includes(cause)) return { tone: 'busy' }
  if (cause === 'payment_required') return { prompt: 'insufficient-funds', language }
  return { prompt: isLimit(cause) ? 'spending-limit' : 'not-available', language }
}
