import type { Party } from '#core/telephone/call/state/party.ts'
import { phone } from '#core/telephone/call/state/taker.ts'
import type { Outcome } from '../plan/plan.ts'
import { briefTarget } from './brief-target.ts'
import { pickUp } from './pick-up.ts'
import type { Search } from './search.ts'

/** The waiting party and the one that answered hear each other from now on, unless the call was over in the same moment. */
export const connect = async (search: Search, party: Party): Promise<Outcome> => {
  const { call, waiting } = search
  call.admit(party)
  if (call.end) return 'normal'
  const refusal = await briefTarget(search, party)
  if (refusal) return refusal
  // Connected before the caller has confirmed it, so that the first word is not lost.
  for (const one of waiting ? [waiting, party] : []) search.bridge.add(one.leg)
  search.taken(phone, party)
  if (waiting) await pickUp(waiting.leg)
  return 'taken'
}
