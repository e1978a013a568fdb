import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Trunk } from '#core/kernel/ports/store/operate/trunks.ts'
import type { LegEnd, Telephony } from '#core/kernel/ports/telephony.ts'

/**
 * The carriers that can take a call, in the order in which they are to be tried: the lowest priority first. Emergency calls are tried
 * over every one, those that seem to work first.
 */
export const trunksInOrder = async (tables: Tables, telephony: Telephony, { emergency }: { emergency: boolean }): Promise<Trunk[]> => {
  const trunks = (await tables.trunks.list()).filter(({ active }) => active).toSorted((a, b) => a.settings.priority - b.settings.priority)
  const { usable = [], broken = [] } = Object.groupBy(trunks, ({ id }) => (telephony.trunkHealth(id).usable ? 'usable' : 'broken'))
  return emergency ? [...usable, ...broken] : usable
}

/** Said before anything is begun that needs a carrier. */
export const requireCarriers = async (tables: Tables, telephony: Telephony, { emergency }: { emergency: boolean }): Promise<void> => {
  if ((await trunksInOrder(tables, telephony, { emergency })).length > 0) return
  const broken = (await tables.trunks.list()).some(({ active }) => active)
  const message = broken
    ? 'No carrier can be reached at the moment.'
    : 'No carrier is connected: only numbers that are in service here are reached.'
  throw new Problem('line_unavailable', message)
}

/** The carrier could not even try: another one may. What the called party or its network said, or that it rang, is final. */
export const mayTryAnother = ({ by, cause, status = 0 }: LegEnd, { rang }: { rang: boolean }): boolean =>
  !rang && (by === 'network' || cause === 'failed' || cause === 'overloaded' || (cause === 'unavailable' && status >= 500))
