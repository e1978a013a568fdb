import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredPorting, StoredStatus } from '#core/kernel/ports/store/number.ts'
import { explainCodes } from './porting-machine.ts'
import { apply, type PortingData, type PortingEvent } from './porting-machine.ts'

/** Installation data that portings need. */
export interface PortingContext {
  clock: Clock
  vault: Vault
  /** Our carrier code. */
  carrierCode: string
  publicUrl: () => string
}

export interface Step extends PortingData {
  event: PortingEvent
  actor: string
}

/** Statuses that notify the customer; the steps between are internal. */
const notifiedStatuses: readonly StoredStatus[] = [252, 400, 500, 600]

/** Applies one event and stores the result, without consequences. */
export const record = async (tables: Tables, { clock }: PortingContext, porting: StoredPorting, step: Step): Promise<StoredPorting> => {
  const at = clock.now()
  const reason = step.event === 'request_rejected' ? explainCodes(step.codes) : porting.reason
  const moved = apply({ ...porting, reason }, step.event, step, at)
  await tables.portings.save(moved, at)
  const entry = { at, from: porting.status, event: step.event, to: moved.status, codes: step.codes ?? [], actor: step.actor }
  await tables.portings.appendEvent(porting.id, entry)
  if (moved.status !== porting.status && notifiedStatuses.includes(moved.status)) await addPortingEvent(tables, clock, moved)
  return moved
}

/** Stores a change that is not an event. */
export const amend = async (tables: Tables, { clock }: PortingContext, porting: StoredPorting): Promise<StoredPorting> => {
  await tables.portings.save(porting, clock.now())
  return porting
}

export const addPortingEvent = async (
  tables: Tables,
  clock: Clock,
  { id, accountId, status, direction, numbers }: StoredPorting,
): Promise<void> => {
  const payload = { portingId: String(id), direction, numbers: numbers.map(({ e164 }) => e164).join(', '), status: String(status) }
  await tables.appEvents.insert(accountId, { type: 'PORTING', name: 'porting_status_changed', payload }, clock.now())
}
