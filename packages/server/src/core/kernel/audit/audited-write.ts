import type { Clock } from '../ports/clock.ts'
import type { Store, Tables } from '../ports/store/index.ts'
import { auditByOperator, type ActingOperator, type AuditNote } from './audit-by.ts'

/**
 * A change by the operator and its audit entry, in one transaction: neither exists without the other. Where the id is only known after
 * the work, the note is made from its result.
 */
export const auditedWrite = <T>(
  store: Store,
  clock: Clock,
  caller: ActingOperator,
  note: AuditNote | ((result: T) => AuditNote),
  work: (tables: Tables) => Promise<T>,
): Promise<T> =>
  store.write(async (tables) => {
    const result = await work(tables)
    await auditByOperator(tables, clock, caller, typeof note === 'function' ? note(result) : note)
    return result
  })
