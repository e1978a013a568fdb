import type { Clock } from '../ports/clock.ts'
import type { Tables } from '../ports/store/index.ts'

/** A user of an account, as far as records name them. */
interface ActingUser {
  accountId: string
  userId: string
}

/** How a user is called in records. */
export const userActor = (userId: string): string => `user:${userId}`

/** Part of the transaction in which a user changes or reads something: says so in the log of their account. */
export const auditByUser = (
  tables: Tables,
  clock: Clock,
  { accountId, userId }: ActingUser,
  action: string,
  target: string,
  detail?: unknown,
): Promise<void> => tables.audit.append(accountId, { at: clock.now(), actor: userActor(userId), action, target, detail })

/** The operator of the installation, as far as records name them. */
export interface ActingOperator {
  operatorId: string
}

/** How the operator is called in records. */
export const operatorActor = ({ operatorId }: ActingOperator): string => `operator:${operatorId}`

/** What the audit log says about a change. */
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

/** Part of the transaction in which the operator changes something. */
export const auditByOperator = (tables: Tables, clock: Clock, operator: ActingOperator, note: AuditNote): Promise<void> => {
  const { chain, action, target, detail } = note
  return tables.audit.append(chain, { at: clock.now(), actor: operatorActor(operator), action, target, detail })
}
