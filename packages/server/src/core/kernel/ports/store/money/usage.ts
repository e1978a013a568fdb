export type UsageKey = 'purpose' | 'number' | 'user' | 'country' | 'quarter'

/** Sums over entries that earned something; `key` is null where they do not say it. */
export interface UsageSum {
  /** `quarter`: quarters of an hour since 1970, since days begin when zones say so. */
  key: string | null
  /** As `Spent` has it; entries of old versions have the reason only. */
  purpose: string
  entries: number
  seconds: number
  units: number
  amount: number
}

/** What a span of the ledger did to the purse, by the other side of the entries. */
export interface BookSum {
  book: 'payments' | 'adjustments'
  amount: number
}

/** The end does not belong to it. */
export interface TimeSpan {
  from: number
  to: number
}

export interface Usages {
  sums(accountId: string, key: UsageKey, span: TimeSpan): Promise<UsageSum[]>
  /** Payments and corrections. */
  movements(accountId: string, span: TimeSpan): Promise<BookSum[]>
  /** Sum of the purse's postings before this time. */
  balanceAt(accountId: string, at: number): Promise<number>
  /** Accounts with entries in the span and without a statement of that month, in the order of their ids. */
  accountsIn(month: string, span: TimeSpan, page: { after: string; limit: number }): Promise<string[]>
}
