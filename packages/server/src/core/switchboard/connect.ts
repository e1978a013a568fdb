import type { Party } from '../call/party.ts'
import type { Leg } from '../ports/telephony.ts'
import type { Search } from './search.ts'

/** Who waited and who answered hear each other from now on. */
export const connect = async (search: Search, party: Party): Promise<void> => {
  const { call, waiting } = search
  call.admit(party)
  if (call.end) return
  if (!waiting) return search.taken('phone', party)
  // Connected before the caller has confirmed it, so that the first word is not lost.
  search.bridge.add(waiting.leg)
  search.bridge.add(party.leg)
  search.taken('phone', party)
  await pickUp(waiting.leg)
}

/** Answers unless that has happened; a caller who is gone is no fault. */
export const pickUp = async (leg: Leg): Promise<void> => {
  if (!leg.answered) await Promise.race([leg.answer(), leg.ended])
}
