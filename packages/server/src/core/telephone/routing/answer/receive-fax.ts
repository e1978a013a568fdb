import type { Outcome, Plan } from '../plan/plan.ts'
import type { Search } from '../search/search.ts'

/** As T.30 has it: 20 digits and signs. */
const maxStationIdLength = 20

/** A fax line answers like a fax machine and keeps the pages that come. A caller who is connected already is not put through to it. */
export const receiveFax = async (search: Search, plan: Plan, faxlineId: string): Promise<Outcome> => {
  const { call, waiting, context } = search
  const { place, called } = plan
  if (!place || !waiting || waiting.leg.answered || context.telephony.faxMissing !== undefined) return 'unavailable'
  const { accountId, userId } = place
  if (await context.mayRecord(accountId)) return 'unavailable'
  const sender = search.callerSeenIn(accountId)
  const fax = await context.faxes.begin({ callId: call.id, accountId, userId, faxlineId, sender, recipient: called })
  const leg = call.end ? undefined : waiting.leg.asFax()
  if (!leg) {
    await fax.end(undefined)
    return 'normal'
  }
  call.details.takesFax(accountId, faxlineId)
  search.taken({ kind: 'fax', accountId })
  const received = leg.receive({ file: fax.file, station: called.slice(0, maxStationIdLength) })
  call.beforeClose(async () => {
    void leg.hangUp('normal').catch((error: unknown) => context.onFailure(error, call.id))
    await fax.end(await received)
  })
  await received
  call.finish({ by: 'callee', reason: 'callee_hangup', cause: 'normal' })
  return 'taken'
}
