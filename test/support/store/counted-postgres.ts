import { Client } from 'pg'
import type { Scope } from '../machine/temporary-folder.ts'

/** PostgreSQL statements of this process since the last `reset`. */
export interface CountedPostgres {
  /** Statements without begin and commit. */
  statements: number
  /** Transactions; a statement outside of one counts as one. */
  transactions: number
  /** Count of each statement. */
  kinds: Map<string, number>
  /** Last statement. */
  last: { text: string; values: unknown[] } | undefined
  reset(): void
}

type Query = (this: Client, ...args: unknown[]) => unknown

/** Counts at the driver, so that no statement is missed. For tests that are alone in their process. */
export const countPostgres = (t: Scope): CountedPostgres => {
  const prototype = Client.prototype as unknown as { query: Query }
  const { query } = prototype
  const inside = new WeakSet<Client>()
  const counted: CountedPostgres = {
    statements: 0,
    transactions: 0,
    kinds: new Map(),
    last: undefined,
    reset: () => void Object.assign(counted, { statements: 0, transactions: 0, kinds: new Map() }),
  }
  prototype.query = function (...args) {
    const text = textOf(args[0])
    note(this, text)
    counted.last = { text, values: Array.isArray(args[1]) ? (args[1] as unknown[]) : ((args[0] as { values?: unknown[] }).values ?? []) }
    return query.apply(this, args)
  }
  const note = (client: Client, text: string): void => {
    if (/^begin|^start transaction/i.test(text)) {
      inside.add(client)
      counted.transactions++
    } else if (/^commit|^rollback/i.test(text)) inside.delete(client)
    else {
      counted.statements++
      counted.kinds.set(text, (counted.kinds.get(text) ?? 0) + 1)
      if (!inside.has(client)) counted.transactions++
    }
  }
  t.after(() => void (prototype.query = query))
  return counted
}

const textOf = (query: unknown): string => (typeof query === 'string' ? query : (query as { text: string }).text).trim()
