import type { Clock } from '../ports/clock.ts'
import type { Store, Tables } from '../ports/store/index.ts'

/** What the audit log will say about a change. */
export interface AuditNote {
  /** The account concerned, or `operator` for what concerns none. */
  chain: string
  /** Thing and verb, such as `account.close`. */
  action: string
  /** Id of what was changed. */
  target: string
  /** Never a secret. */
  detail?: unknown
}

/** Who is at work, as far as records name them. */
interface Operator {
  operatorId: string
}

/** How the operator is called in records. */
export const operatorActor = ({ operatorId }: Operator): string => `operator:${operatorId}`

/**
 * A change by the operator and its audit entry, in one transaction: neither exists without the other. Where the id is only known after
 * the work, the note is made from its result.
 */
export const auditedWrite = <T>(
  store: Store,
  clock: Clock,
  caller: Operator,
  note: AuditNote | ((result: T) => AuditNote),
  work: (tables: Tables) => Promise<T>,
): Promise<T> =>
  store.write(async (tables) => {
    const result = await work(tables)
    const { chain, action, target, detail } = typeof note === 'function' ? note(result) : note
    await tables.audit.append(chain, { at: clock.now(), actor: operatorActor(caller), action, target, detail })
    return result
  })
