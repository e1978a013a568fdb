import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Holder, StoredPorting } from '#core/kernel/ports/store/number.ts'
import { advance } from './advance.ts'
import { requireFutureDate } from './donor.ts'
import { sendAbout } from './deliver.ts'
import { revocationEvent } from './porting-machine.ts'
import { amend, type PortingContext } from './porting-record.ts'
import { startPorting, type PortingInput } from './start.ts'
import { auditByUser, userActor } from '#core/kernel/audit/audit.ts'

const hourMs = 60 * 60 * 1000
const maxPerHour = 20

/** Orders a porting for a customer. Rate-limited, because each order sends a mail to an address of the customer's choice. */
export const orderPorting = async (
  tables: Tables,
  context: PortingContext,
  caller: UserCaller,
  input: PortingInput,
): Promise<StoredPorting> => {
  const actor = userActor(caller.userId)
  const at = context.clock.now()
  const taken = await tables.attempts.take({ bucket: `porting:${caller.accountId}`, limit: maxPerHour, windowMs: hourMs }, at)
  if ('fullSince' in taken) throw new Problem('rate_limited', undefined, { retryAfter: Math.ceil((taken.fullSince + hourMs - at) / 1000) })
  const porting = await startPorting(tables, context, { accountId: caller.accountId, actor, wish: input })
  await auditByUser(tables, context.clock, caller, 'porting.create', String(porting.id))
  return porting
}

/** Revokes a porting for the customer. A repeated request changes nothing while the present carrier has not answered. */
export const revokePorting = async (tables: Tables, context: PortingContext, caller: UserCaller, id: number): Promise<void> => {
  const porting = await lockOwn(tables, caller, id)
  const event = revocationEvent(porting.status)
  if (porting.cancelRequested) return
  const actor = userActor(caller.userId)
  await advance(tables, context, porting, { event, actor })
  await auditByUser(tables, context.clock, caller, 'porting.revoke', String(id))
}

interface CorrectionInput {
  holder: Holder
  portDate?: string
  email?: string
}

/** A rejected request, or an electronic agreement, which can be cancelled electronically. */
const hasCorrectableStatus = ({ status, carrier }: StoredPorting): boolean => status === 252 || (status === 400 && carrier !== undefined)

/** Whether the data can be corrected now: not while an answer of the present carrier is pending. */
export const correctable = (porting: StoredPorting): boolean =>
  hasCorrectableStatus(porting) && !porting.cancelRequested && !porting.correction

/** After a rejection the new data is used immediately; an agreement must first be cancelled by the present carrier (STR-AEN). */
export const correctPorting = async (
  tables: Tables,
  context: PortingContext,
  caller: UserCaller,
  id: number,
  { holder, portDate, email }: CorrectionInput,
): Promise<StoredPorting> => {
  const porting = await lockOwn(tables, caller, id)
  if (portDate !== undefined) requireFutureDate('portDate', portDate, context.clock.now())
  if (!hasCorrectableStatus(porting)) throw new Problem('conflict', `The data cannot be corrected in state ${porting.status}.`)
  if (!correctable(porting)) throw new Problem('conflict', 'The current carrier has not answered the last request yet.')
  const actor = userActor(caller.userId)
  await auditByUser(tables, context.clock, caller, 'porting.correct', String(id))
  const corrected = await amend(tables, context, {
    ...porting,
    correction: { holder, email: email ?? porting.email, wishedDate: portDate },
  })
  if (porting.status === 252) return advance(tables, context, corrected, { event: 'data_corrected', actor })
  await sendAbout(tables, context, corrected, { type: 'STR-AEN' })
  return corrected
}

const lockOwn = async (tables: Tables, { accountId }: UserCaller, id: number): Promise<StoredPorting> => {
  const porting = await tables.portings.lock(id)
  if (porting?.accountId !== accountId || porting.direction !== 'IN') throw new Problem('porting_not_found')
  return porting
}
