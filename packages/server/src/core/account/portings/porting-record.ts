import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { StoredPorting, StoredStatus } from '#core/kernel/ports/store/number/portings.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { explainCodes } from './message-codes.ts'
import { apply, type PortingData, type PortingEvent } from './porting-machine.ts'

/** What portings need to know about this installation. */
export interface PortingContext {
  clock: Clock
  vault: Vault
  /** Our code towards other carriers. */
  carrierCode: string
  publicUrl: () => string
}

export interface Step extends PortingData {
  event: PortingEvent
  actor: string
}

/** The customer hears about these; the steps between them are ours. */
const notifiedStatuses: readonly StoredStatus[] = [252, 400, 500, 600]

/** Applies one event and keeps what became of it, without anything that should follow from it. */
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

/** Keeps a change that is no event of its own. */
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
