import type { Call } from '../call/call.ts'
import { newParty, type Party } from '../call/party.ts'
import type { IncomingCall, TransferAsked } from '../ports/telephony.ts'
import type { Board } from './board.ts'
import { pickUp } from './connect.ts'
import { transferRefused } from './transfer.ts'

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
  call.transfers += 1
  call.leaving = party
  call.move('transfer')
  call.attendance.silence()
  there.call.surrender(guest)
  guest.role = party.role
  seat(call, guest)
  call.bridge.add(guest.leg)
  call.move('transferred')
  call.leaving = undefined
  call.attempt(() => asked.done())
  call.release(party)
  there.call.finish({ by: there.party.role, reason: 'transferred', cause: 'normal' })
}

/** An account whose phone comes into a call in this way is concerned by it like one that is called. */
const seat = (call: Call, guest: Party): void => {
  const { desk } = guest
  const now = call.parts.clock.now()
  const host = call.parties[0]?.identity
  call.admit(guest)
  if (!desk) return
  const number = host?.withheld ? undefined : host?.number
  const arrival = { accountId: desk.accountId, extension: desk.deviceId, alias: '', userId: desk.userId }
  if (!call.story.concerns(desk.accountId))
    call.story.arrives({ ...arrival, source: { number: number ?? 'anonymous', alias: '' }, target: guest.identity.number ?? '' })
  call.story.answered([desk.accountId], desk, now)
  call.show(desk.accountId)
}

/** Another phone of the same account takes the place of one that talks (Replaces). */
export const takePlace = async (board: Board, { leg, origin }: IncomingCall, { call, party }: Seat): Promise<void> => {
  const device = origin.kind === 'device' ? await board.store.read.devices.find(origin.accountId, origin.deviceId) : undefined
  const allowed = origin.kind === 'device' && device && origin.accountId === party.desk?.accountId
  if (!allowed || call.state !== 'active' || call.parties.length !== 2 || !call.parties.includes(party))
    return leg.hangUp(allowed ? 'not_found' : 'forbidden')
  const desk = { accountId: origin.accountId, deviceId: device.id, userId: device.owner }
  const guest = newParty({ leg, desk, trusted: true, identity: party.identity, role: party.role })
  call.leaving = party
  call.move('transfer')
  try {
    call.admit(guest)
    call.bridge.add(leg)
    await pickUp(leg)
  } catch (error) {
    call.fail(error)
    throw error
  }
  call.story.answered([desk.accountId], desk, board.clock.now())
  call.move('transferred')
  call.leaving = undefined
  call.release(party)
}
