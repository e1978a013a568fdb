import type { Clock } from '../ports/platform.ts'
import type { Tables, Store } from '../ports/store/index.ts'
import type { Audit, AuditEntry } from '../ports/store/operate.ts'

/** User of an account, as named in records. */
interface ActingUser {
  accountId: string
  userId: string
}

/** Actor id of a user in records. */
export const userActor = (userId: string): string => `user:${userId}`

/** Audits a user's change or read in the account's log, within the same transaction. */
export const auditByUser = (
  tables: Tables,
  clock: Clock,
  { accountId, userId }: ActingUser,
  action: string,
  target: string,
  detail?: unknown,
): Promise<void> => tables.audit.append(accountId, { at: clock.now(), actor: userActor(userId), action, target, detail })

/** Operator of the installation, as named in records. */
export interface ActingOperator {
  operatorId: string
}

/** Actor id of the operator in records. */
export const operatorActor = ({ operatorId }: ActingOperator): string => `operator:${operatorId}`

/** Audit entry of a change, without time and actor. */
interface AuditNote {
  /** Account id, or `operator` for changes outside any account. */
  chain: string
  /** Object and verb, such as `account.close`. */
  action: string
  /** Id of the changed object. */
  target: string
  /** Must not contain secrets. */
  detail?: unknown
}

/** Audits an operator's change within the same transaction. */
export const auditByOperator = (tables: Tables, clock: Clock, operator: ActingOperator, note: AuditNote): Promise<void> => {
  const { chain, action, target, detail } = note
  return tables.audit.append(chain, { at: clock.now(), actor: operatorActor(operator), action, target, detail })
}

/**
 * Writes an operator's change and its audit entry in one transaction, so neither exists without the other. The note is built from the
 * result if the id is known only after the work.
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

/** Newest first; `before` limits the result to earlier entries. A chain has no gaps. */
export const latestEntries = async (
  audit: Audit,
  chain: string,
  { before, limit, offset = 0 }: { before?: number | undefined; limit: number; offset?: number },
): Promise<AuditEntry[]> => {
  const end = Math.max((before ?? (await audit.head(chain)).seq + 1) - offset, 1)
  const afterSeq = Math.max(0, end - 1 - limit)
  const entries = await audit.list(chain, { afterSeq, limit: Math.min(limit, end - 1 - afterSeq) })
  return entries.toReversed()
}

const hourMs = 3_600_000
const max = 10_000

/** Deduplicates audit entries for reads: repeated looks at one object, such as by a page that refreshes, count once per hour. */
export class FirstLooks {
  readonly #clock: Clock
  readonly #noted = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Writes the look unless it was written within the hour. Rejects when writing fails, so no look goes unaudited. */
  async note(look: string, write: () => Promise<unknown>): Promise<void> {
    if (this.#isKnown(look)) return
    await write()
    this.#remember(look)
  }

  #isKnown(look: string): boolean {
    const last = this.#noted.get(look)
    return last !== undefined && this.#clock.now() - last < hourMs
  }

  #remember(look: string): void {
    const now = this.#clock.now()
    this.#noted.delete(look) // keeps the oldest first
    this.#noted.set(look, now)
    for (const [oldest, at] of this.#noted) {
      if (this.#noted.size <= max && now - at < hourMs) break
      this.#noted.delete(oldest)
    }
  }
}
