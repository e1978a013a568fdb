import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Holder, StoredPorting } from '#core/kernel/ports/store/number/portings.ts'
import { advance } from './advance.ts'
import { requireFutureDate } from './calendar-date.ts'
import { sendAbout } from './messages.ts'
import { revocationEvent } from './porting-machine.ts'
import { amend, type PortingContext } from './porting-record.ts'
import { startPorting, type PortingInput } from './start.ts'
import { auditByUser, userActor } from '#core/kernel/audit/audit-by.ts'

const hourMs = 60 * 60 * 1000
const maxPerHour = 20

/** A customer brings numbers. Each time a mail goes to an address of their choice, so not all too often. */
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

/** The customer wants out. Asking again while the present carrier has not answered changes nothing. */
export const revokePorting = async (tables: Tables, context: PortingContext, caller: UserCaller, id: number): Promise<void> => {
  const porting = await lockOwn(tables, caller, id)
  const event = revocationEvent(porting.status)
  if (porting.cancelRequested) return
  const actor = userActor(caller.userId)
  await advance(tables, context, porting, { event, actor })
  await auditByUser(tables, context.clock, caller, 'porting.revoke', String(id))
}

export interface CorrectionInput {
  holder: Holder
  portDate?: string
  email?: string
}

/** A refused request, or an agreement that was made electronically and can be given up the same way. */
const hasCorrectableStatus = ({ status, carrier }: StoredPorting): boolean => status === 252 || (status === 400 && carrier !== undefined)

/** Whether its data can be corrected now: not while the present carrier still owes an answer. */
export const correctable = (porting: StoredPorting): boolean =>
  hasCorrectableStatus(porting) && !porting.cancelRequested && !porting.correction

/** After a refusal the new data is used at once; an agreement must first be given up by the present carrier (STR-AEN). */
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
