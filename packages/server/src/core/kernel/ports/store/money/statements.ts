export type StatementKind = 'STATEMENT' | 'INVOICE'

export interface StoredStatement {
  /** `2026-11` */
  month: string
  kind: StatementKind
  number: number
  /** What it says, as it was hashed. */
  content: string
  hash: string
  createdAt: number
}

/** Only ever added. */
export interface Statements {
  /** Newest first. */
  list(accountId: string): Promise<StoredStatement[]>
  find(accountId: string, month: string): Promise<StoredStatement | undefined>
  /** The next number of this kind: who takes it is alone until the end of the transaction, so that no number is missing. */
  nextNumber(kind: StatementKind): Promise<number>
  insert(accountId: string, statement: StoredStatement): Promise<void>
}
