import { randomUUID } from 'node:crypto'
import type { Call } from '#core/telephone/call/call.ts'
import { writeHoweverLong } from '#core/kernel/sure-write.ts'
import { incomingFax } from '#core/messages/fax/state/new-fax.ts'
import { keepLater } from '#core/messages/fax/receiving/keep-fax.ts'
import { reasonOfReceived } from '#core/messages/fax/state/reasons.ts'
import type { FaxResult } from '#core/kernel/ports/fax-transport.ts'
import type { Fax } from '#core/kernel/ports/store/message/faxes.ts'
import type { Board } from '../find/board.ts'
import type { Outcome, Plan } from '../plan/plan.ts'
import type { Search } from '../find/search.ts'

/** As T.30 has it: 20 digits and signs. */
const longestStation = 20

/** A fax line answers like a fax machine and keeps the pages that come. Somebody who is connected already is not put through to it. */
export const receiveFax = async (search: Search, plan: Plan, faxlineId: string): Promise<Outcome> => {
  const { call, waiting, board } = search
  const { place, called } = plan
  if (!place || !waiting || waiting.leg.answered || board.telephony.faxMissing !== undefined) return 'unavailable'
  const { accountId, userId } = place
  if (await board.mayRecord(accountId)) return 'unavailable'
  const sender = search.callerSeenIn(accountId)
  const known = { accountId, id: randomUUID(), userId, faxlineId, sender, recipient: called, owner: board.leases.owner }
  const fax = incomingFax(known, board.clock.now())
  const file = await board.faxFiles.pathOf({ accountId, faxId: fax.id, kind: 'pages' })
  // Before the first page is confirmed: what was confirmed must not be lost.
  await board.leases.hold(nameOf(fax), (tables) => tables.faxes.insert(fax))
  const leg = call.end ? undefined : waiting.leg.asFax()
  if (!leg) {
    await end(board, call, fax, undefined)
    return 'normal'
  }
  call.story.takesFax(accountId, faxlineId)
  search.taken('fax')
  const received = leg.receive({ file, station: called.slice(0, longestStation) })
  call.atTheEnd(async () => {
    void leg.hangUp('normal').catch((error: unknown) => board.onFailure(error, call.id))
    await end(board, call, fax, await received)
  })
  await received
  call.finish({ by: 'callee', reason: 'callee_hangup', cause: 'normal' })
  return 'taken'
}

const nameOf = ({ accountId, id }: Fax): string => `fax:${accountId}:${id}`

/** Whatever came is kept. */
const end = async (board: Board, call: Call, fax: Fax, result: FaxResult | undefined): Promise<void> => {
  const { leases, clock, wake } = board
  const { accountId, id } = fax
  const reason = result ? reasonOfReceived(result) : 'interrupted'
  await writeHoweverLong(board, call.id, async (tables) => {
    const now = clock.now()
    if ((await tables.faxes.lock(accountId, id))?.owner !== leases.owner) return
    await tables.faxes.update(accountId, id, { ...factsOf(result), reason, owner: undefined }, now)
    await keepLater(tables, fax, now)
  })
  leases.release(nameOf(fax))
  wake()
}

const factsOf = (result: FaxResult | undefined): Partial<Fax> => {
  if (!result) return {}
  const { pages, bitRate, errorCorrection, carriedBy, station } = result
  return { pages, bitRate, errorCorrection, carriedBy, station }
}
