import type { Call } from '#core/telephone/call/call.ts'
import type { Station } from '#core/telephone/call/state/party.ts'
import { newParty, type Party } from '#core/telephone/call/state/party.ts'
import type { IncomingCall, Leg, Origin, TransferAsked } from '#core/kernel/ports/telephony.ts'
import type { RoutingContext } from '../search/routing-context.ts'
import { endFollowed, followedOf } from '../search/followed-calls.ts'
import { transferRejection } from './transfer.ts'
import { pickUp } from '../search/pick-up.ts'

/** A leg of ours and the call it belongs to. */
export interface PartyInCall {
  call: Call
  party: Party
}

/** A phone that talks in two calls connects the two others with each other and leaves. The first call goes on, the second is over. */
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

/** One of two parties leaves, and a party that is on the line already takes its place. */
const exchange = (call: Call, leaving: Party, guest: Party, { counts }: { counts: boolean }): void => {
  call.progress.beginTransfer(undefined)
  call.attendance.silence()
  call.admit(guest)
  call.bridge.add(guest.leg)
  call.progress.transferred({ counts })
  call.release(leaving)
  call.attendance.unmute()
}

/** An account whose phone comes into a call in this way is concerned by it like one that is called. */
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

/** Another phone of the same account takes the place of one that talks (Replaces). Until it has confirmed that, nothing changes. */
export const takePlace = async (
  context: RoutingContext,
  { leg, origin }: IncomingCall,
  { call, party }: PartyInCall,
): Promise<void> => {
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

/** We referred this phone here: it is to talk with the party that it waits for. */
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

/** It was asked to take its own place and comes too late: it is connected already. */
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
