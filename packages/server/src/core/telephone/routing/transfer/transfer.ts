import type { Call } from '#core/telephone/call/call.ts'
import { type Station, type Party, newParty } from '#core/telephone/call/state/party.ts'
import type { Cause, TransferAsked, IncomingCall, Leg, Origin } from '#core/kernel/ports/telephony.ts'
import type { RoutingContext, DialTarget } from '../search/routing-context.ts'
import { identitiesOf, seenInside, readDialled } from '../inbound/request.ts'
import { maxHops, maxTransfers, type Plan } from '../plan/plan.ts'
import { endFollowed, followedOf, pickUp } from '../search/search.ts'

/** Why a party cannot be replaced now; undefined when it can. */
const transferRejection = (call: Call, { station, trusted }: Party): Cause | undefined => {
  if (!trusted || !station) return 'forbidden'
  if (call.progress.state !== 'active' || call.parties.length !== 2) return 'not_acceptable'
  return call.progress.transfers >= maxTransfers ? 'loop' : undefined
}

/**
 * Blind transfer requested by a phone. Its account pays and must be allowed to, as if the phone called the target itself.
 * The phone stays in the call until the target has answered; if it does not, the two keep talking.
 */
export const transferBlind = async (
  context: RoutingContext,
  call: Call,
  party: Party,
  asked: TransferAsked,
  dialled: string,
): Promise<void> => {
  const rejection = transferRejection(call, party)
  const waiting = call.parties.find((other) => other !== party)
  const { station, role } = party
  if (rejection || !waiting || !station) return call.attempt(() => asked.failed(rejection ?? 'not_acceptable'))
  call.attempt(() => asked.trying())
  const done = (plan: Plan): void => {
    call.details.transferred(station.accountId, plan)
    asked.done()
  }
  const outcome = { done, failed: (why: Cause) => asked.failed(why) }
  await context.replace(call, { waiting, leaving: party, role, failureCounts: true, ...outcome }, () =>
    ringTargetOf(context, call, { asking: station, waiting, dialled }),
  )
}

interface PhoneRequest {
  asking: Station
  waiting: Party
  dialled: string
}

const ringTargetOf = async (
  { store }: RoutingContext,
  { hops }: Call,
  { asking, waiting, dialled }: PhoneRequest,
): Promise<DialTarget | Cause> => {
  const { read } = store
  const { accountId, deviceId } = asking
  const [account, device] = await Promise.all([read.accounts.find(accountId), read.devices.find(accountId, deviceId)])
  if (hops >= maxHops) return 'loop'
  if (!account || !device) return 'forbidden'
  const destination = await readDialled(read, account, device, dialled)
  if (typeof destination === 'string') return destination
  const { outside } = await identitiesOf(read, account, device, { withheld: false })
  // Phones of the account see the party they will talk to; others see the number a direct call would show.
  const seenAs = { inside: seenInside(waiting), outside }
  return { destination, payer: account, asking, seenAs, diverted: { diversions: [], hops } }
}

/** A leg and its call. */
export interface PartyInCall {
  call: Call
  party: Party
}

/** A phone in two calls connects the two others and leaves. The first call continues, the second ends. */
export const joinCalls = (here: PartyInCall, there: PartyInCall, asked: TransferAsked): void => {
  const rejection = transferRejection(here.call, here.party) ?? transferRejection(there.call, there.party)
  const guest = there.call.parties.find((other) => other !== there.party)
  const sameAccount = here.party.station?.accountId === there.party.station?.accountId
  if (rejection || !guest || here.call === there.call || !sameAccount) return asked.failed(rejection ?? 'forbidden')
  const { call, party } = here
  const other = call.parties.find((one) => one !== party)
  const followed = other && party.station ? followedOf(call, party.station.accountId, { role: party.role, other }) : []
  there.call.handOff(guest)
  guest.role = party.role
  exchange(call, party, guest, { counts: true })
  guest.leg.movedTo?.(call.id)
  for (const one of followed) endFollowed(call, one, 'forwarded')
  describeDetails(call, party, guest)
  call.attempt(() => asked.done())
  // Otherwise the guest would be unknown if this process died now.
  there.call.beforeClose(() => call.books.saved())
  there.call.finish({ by: there.party.role, reason: 'transferred', cause: 'normal' })
}

/** Replaces one of two parties by a party that is already connected. */
const exchange = (call: Call, leaving: Party, guest: Party, { counts }: { counts: boolean }): void => {
  call.progress.beginTransfer(undefined)
  call.attendance.silence()
  call.admit(guest)
  call.bridge.add(guest.leg)
  call.progress.transferred({ counts })
  call.release(leaving)
  call.attendance.unmute()
}

/** An account whose phone joins a call this way is involved like a called one. */
const describeDetails = (call: Call, leaving: Party, { station, identity }: Party): void => {
  if (leaving.station)
    call.details.transferred(leaving.station.accountId, { place: station, called: identity.withheld ? undefined : identity.number })
  if (!station) return
  const { accountId, deviceId, userId } = station
  const other = call.parties.find(({ station: one }) => one !== station)?.identity
  const number = other?.withheld ? undefined : other?.number
  const arrival = { accountId, extension: deviceId, alias: '', userId }
  if (!call.details.concerns(accountId))
    call.details.arrives({ ...arrival, source: { number: number ?? 'anonymous', alias: '' }, target: identity.number ?? '' })
  call.details.answered([accountId], station, call.context.clock.now())
  call.accounts.show(accountId)
}

/** Another phone of the same account replaces a connected one (Replaces). Nothing changes until it has answered. */
export const takePlace = async (context: RoutingContext, { leg, origin }: IncomingCall, { call, party }: PartyInCall): Promise<void> => {
  const station = await context.tasks.track(stationOf(context, origin))
  if (station && isAwaited(call, station)) return takeOwnPlace(call, leg, station)
  if (!station || station.accountId !== party.station?.accountId) return leg.hangUp('forbidden')
  if (!canBeReplaced(call, party) || talksItself(call, party, station)) return leg.hangUp('not_found')
  await Promise.race([pickUp(leg), call.over])
  if (!leg.answered || !canBeReplaced(call, party)) return leg.hangUp('normal')
  const { identity, calledAs, role } = party
  const guest = newParty({ leg, station, trusted: true, identity, calledAs, role })
  call.must(() => exchange(call, party, guest, { counts: false }))
  call.details.answered([station.accountId], station, context.clock.now())
}

/** True if this phone was referred here to talk with the party it waits for. */
const isAwaited = ({ progress: { state, consultation } }: Call, { accountId, deviceId }: Station): boolean => {
  const waiting = consultation?.waiting.station
  return state === 'transferring' && waiting?.accountId === accountId && waiting.deviceId === deviceId
}

const takeOwnPlace = async (call: Call, leg: Leg, station: Station): Promise<void> => {
  await Promise.race([pickUp(leg), call.over])
  const { consultation } = call.progress
  if (!leg.answered || !consultation || !isAwaited(call, station)) return leg.hangUp('normal')
  const { identity, calledAs, role } = consultation.waiting
  consultation.replaceWaiting(newParty({ leg, station, trusted: true, identity, calledAs, role }))
}

/** The phone was referred but comes too late: it is already connected. */
const talksItself = ({ parties }: Call, party: Party, { accountId, deviceId }: Station): boolean =>
  parties.some(({ station, ...other }) => other.id !== party.id && station?.accountId === accountId && station.deviceId === deviceId)

const canBeReplaced = (call: Call, party: Party): boolean =>
  call.progress.state === 'active' && call.parties.length === 2 && call.parties.includes(party)

const stationOf = async ({ store }: RoutingContext, origin: Origin): Promise<Station | undefined> => {
  if (origin.kind !== 'device') return undefined
  const { accountId, deviceId } = origin
  const device = await store.read.devices.find(accountId, deviceId)
  return device && { accountId, deviceId, userId: device.owner }
}
