import type { Cause } from '#core/kernel/ports/telephony.ts'
import type { Brief } from '#core/kernel/ports/assistant/flow-runtime.ts'
import { causeOfExhaustion } from '#core/telephone/call/money/out-of-money.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import type { Search } from './search.ts'

/**
 * Who answered hears first what it is about, apart from the party that waits; the time for it does not count as waiting for an answer. Gives
 * why the two are not to be connected: then that phone is out of the call.
 */
export const briefTarget = async (search: Search, target: Party): Promise<Cause | undefined> => {
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

/** Without money for the target's leg the call need not end: the one who waits costs nothing more than before. */
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
