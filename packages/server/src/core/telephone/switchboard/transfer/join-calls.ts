import type { Call } from '#core/telephone/call/call.ts'
import type { Desk } from '#core/telephone/call/state/party.ts'
import { newParty, type Party } from '#core/telephone/call/state/party.ts'
import type { IncomingCall, Leg, Origin, TransferAsked } from '#core/kernel/ports/telephony.ts'
import type { Board } from '../find/board.ts'
import { endTold, toldOf } from '../find/told.ts'
import { transferRefused } from './transfer.ts'
import { pickUp } from '../find/pick-up.ts'

/** A leg of ours and the call it belongs to. */
export interface Seat {
  call: Call
  party: Party
}

/** A phone that talks in two calls connects the two others with each other and leaves. The first call goes on, the second is over. */
export const joinCalls = (here: Seat, there: Seat, asked: TransferAsked): void => {
  const refused = transferRefused(here.call, here.party) ?? transferRefused(there.call, there.party)
  const guest = there.call.parties.find((other) => other !== there.party)
  const sameAccount = here.party.desk?.accountId === there.party.desk?.accountId
  if (refused || !guest || here.call === there.call || !sameAccount) return asked.failed(refused ?? 'forbidden')
  const { call, party } = here
  const other = call.parties.find((one) => one !== party)
  const told = other && party.desk ? toldOf(call, party.desk.accountId, { role: party.role, other }) : []
  there.call.surrender(guest)
  guest.role = party.role
  exchange(call, party, guest, { counts: true })
  for (const one of told) endTold(call, one, 'forwarded')
  tellStory(call, party, guest)
  call.attempt(() => asked.done())
  // Otherwise nobody would know of the guest if this process died now.
  there.call.atTheEnd(() => call.books.saved())
  there.call.finish({ by: there.party.role, reason: 'transferred', cause: 'normal' })
}

/** One of two who talk leaves, and somebody who is on the line already takes the place. */
const exchange = (call: Call, leaving: Party, guest: Party, { counts }: { counts: boolean }): void => {
  call.progress.beginTransfer(undefined)
  call.attendance.silence()
  call.admit(guest)
  call.bridge.add(guest.leg)
  call.progress.transferred({ counts })
  call.release(leaving)
  call.attendance.unsilence()
}

/** An account whose phone comes into a call in this way is concerned by it like one that is called. */
const tellStory = (call: Call, leaving: Party, { desk, identity }: Party): void => {
  if (leaving.desk) call.story.handedOn(leaving.desk.accountId, { place: desk, called: identity.withheld ? undefined : identity.number })
  if (!desk) return
  const { accountId, deviceId, userId } = desk
  const other = call.parties.find(({ desk: one }) => one !== desk)?.identity
  const number = other?.withheld ? undefined : other?.number
  const arrival = { accountId, extension: deviceId, alias: '', userId }
  if (!call.story.concerns(accountId))
    call.story.arrives({ ...arrival, source: { number: number ?? 'anonymous', alias: '' }, target: identity.number ?? '' })
  call.story.answered([accountId], desk, call.context.clock.now())
  call.accounts.show(accountId)
}

/** Another phone of the same account takes the place of one that talks (Replaces). Until it has confirmed that, nothing changes. */
export const takePlace = async (board: Board, { leg, origin }: IncomingCall, { call, party }: Seat): Promise<void> => {
  const desk = await board.tasks.track(deskOf(board, origin))
  if (desk && isAwaited(call, desk)) return takeOwnPlace(call, leg, desk)
  if (!desk || desk.accountId !== party.desk?.accountId) return leg.hangUp('forbidden')
  if (!canBeReplaced(call, party) || talksItself(call, party, desk)) return leg.hangUp('not_found')
  await Promise.race([pickUp(leg), call.over])
  if (!leg.answered || !canBeReplaced(call, party)) return leg.hangUp('normal')
  const { identity, calledAs, role } = party
  const guest = newParty({ leg, desk, trusted: true, identity, calledAs, role })
  call.must(() => exchange(call, party, guest, { counts: false }))
  call.story.answered([desk.accountId], desk, board.clock.now())
}

/** We asked this phone to call: it is to talk with whom it waits for. */
const isAwaited = ({ progress: { state, consultation } }: Call, { accountId, deviceId }: Desk): boolean => {
  const waiting = consultation?.waiting.desk
  return state === 'transferring' && waiting?.accountId === accountId && waiting.deviceId === deviceId
}

const takeOwnPlace = async (call: Call, leg: Leg, desk: Desk): Promise<void> => {
  await Promise.race([pickUp(leg), call.over])
  const { consultation } = call.progress
  if (!leg.answered || !consultation || !isAwaited(call, desk)) return leg.hangUp('normal')
  const { identity, calledAs, role } = consultation.waiting
  consultation.replaceWaiting(newParty({ leg, desk, trusted: true, identity, calledAs, role }))
}

/** It was asked to take its own place and comes too late: it is connected already. */
const talksItself = ({ parties }: Call, party: Party, { accountId, deviceId }: Desk): boolean =>
  parties.some(({ desk, ...other }) => other.id !== party.id && desk?.accountId === accountId && desk.deviceId === deviceId)

const canBeReplaced = (call: Call, party: Party): boolean =>
  call.progress.state === 'active' && call.parties.length === 2 && call.parties.includes(party)

const deskOf = async ({ store }: Board, origin: Origin): Promise<Desk | undefined> => {
  if (origin.kind !== 'device') return undefined
  const { accountId, deviceId } = origin
  const device = await store.read.devices.find(accountId, deviceId)
  return device && { accountId, deviceId, userId: device.owner }
}
