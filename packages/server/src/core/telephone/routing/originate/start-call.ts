import { atMost } from '#core/kernel/work/at-most.ts'
import type { End } from '#core/kernel/ports/call-end.ts'
import type { Call } from '#core/telephone/call/call.ts'
import { newParty, type Party } from '#core/telephone/call/state/party.ts'
import type { Prepaid } from '#core/telephone/call/money/prepaid.ts'
import { languageOf } from '#core/telephone/call/state/account-language.ts'
import type { CallOrder } from '#core/kernel/ports/orders.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Device } from '#core/kernel/ports/store/device/devices.ts'
import type { CallerIdentity, Cause, Sound } from '#core/kernel/ports/telephony.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import { isLimit } from '../inbound/causes.ts'
import { emergencyIdentity, type Identities } from '../inbound/caller-identity.ts'
import type { Destination } from '../inbound/destination.ts'
import { notDiverted, seekOrdered, type OrderedMeters } from './orders.ts'
import { ringSeconds, type Phone, type Plan } from '../plan/plan.ts'
import { ringPhones } from '../search/ringing.ts'
import { Search } from '../search/search.ts'

/** A call between two parties that was ordered over the interface. */
export interface CallBetween {
  order: CallOrder
  account: Account
  /** Stands for the caller. */
  device: Device
  /** Phone lines that the caller belongs to. */
  lines: readonly string[]
  /** What was reserved when the call was ordered. */
  money: Prepaid
  meters: OrderedMeters
  /** They ring first. */
  phones: readonly Phone[]
  /** Where in another account they are, if they are. */
  elsewhere: Plan | undefined
  destination: Destination
  /** Who is called, as it is kept. */
  to: string
  /** What the caller's own phones show while they ring: whom they will talk to. */
  shown: CallerIdentity
  /** What the callee sees. */
  seenAs: Identities
}

/** Rings the caller, who then waits for the callee like a caller who dialled. The two talk from then on. */
export const carryCall = async (context: RoutingContext, call: Call, input: CallBetween): Promise<void> => {
  begin(call, input)
  const caller = await ringCaller(context, call, input)
  if (!('leg' in caller)) return call.finish(caller)
  call.admit(caller, { orderedBy: input.account.id })
  if (call.end) return
  call.books.open() // from now on the caller is on the line
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

/** Carriers and other accounts see a number of the account, never that of the callee: it would be spoofed. */
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
  const { order, account, lines, destination, to, meters } = input
  const { station } = caller
  const search = new Search(context, call, {
    waiting: caller,
    asking: station?.accountId === account.id ? station : { accountId: account.id },
    seenAs: await context.tasks.track(identitiesFor(context, input, caller)),
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
  // Whatever the caller does now, this is why the call came to nothing.
  call.details.rejected(account.id, outcome)
  await explain(call, caller, account.id, outcome)
  call.finish(search.endOf(outcome))
}

/** Which number the emergency services call back depends on where the phone is that was picked up. */
const identitiesFor = async (
  { store }: RoutingContext,
  { account, destination, seenAs }: CallBetween,
  { station }: Party,
): Promise<Identities> => {
  const device =
    destination.kind === 'emergency' && station ? await store.read.devices.find(station.accountId, station.deviceId) : undefined
  if (!device) return seenAs
  const identity = await emergencyIdentity(store.read, account, device)
  return { inside: identity, outside: identity }
}

/** A tone for as long as a caller needs to notice it, or a sentence that ends by itself. */
const toneMs = 4_000
const maxSentenceMs = 8_000

/** The caller has picked up already, so it is not enough to hang up. */
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
