/** Ledger account of a posting: the customer's balance, our revenue, payments, manual adjustments. */
export type Book = 'balance' | 'revenue' | 'payments' | 'adjustments'

/** All amounts are integers, ten-thousandths of the currency unit. */
export interface Balance {
  currency: string
  /** Booked money: always the sum of the account's postings in the book `balance`. */
  amount: number
  /** Part held by open reservations. */
  reserved: number
  /** Maximum amount below zero. */
  creditLimit: number
}

/** FLOW is a call made by an assistant; counted separately because it has separate caps. */
export type Purpose = 'CALL' | 'FLOW' | 'FAX' | 'SMS'
type ReservationState = 'OPEN' | 'COMMITTED' | 'RELEASED'

export interface Reservation {
  sessionId: string
  purpose: Purpose
  amount: number
  state: ReservationState
  /** Input of the price computation. */
  detail: unknown
  createdAt: number
  expiresAt: number
  /** Leash under which it was made. */
  leash: string | undefined
  /** Missing for one that existed before it was reserved again. */
  spare?: Spare | undefined
}

/** Amounts that could still be reserved beyond a reservation, when the database last answered. */
export interface Spare {
  /** By the balance and the day's limit. */
  account: number
  /** By the leash; Infinity without one. */
  leash: number
}

/** Use of a leash on one day. */
export interface LeashUse {
  /** Excludes released reservations. */
  calls: number
  sms: number
  /** Charged, or reserved for running sessions. */
  spent: number
}

export interface ReservationRequest {
  sessionId: string
  purpose: Purpose
  /** Minimum amount; less is rejected. */
  min: number
  /** Maximum amount; reserves up to this. */
  want: number
  detail: unknown
  at: number
  /** Expiry; the money is released then unless the reservation is extended. */
  expiresAt: number
  /** Maximum spending on this day. */
  perDay: number
  /** Leash under which it is made, and its maximum spending on this day. */
  leash?: { key: string; maxSpend: number | undefined } | undefined
}

interface Extension {
  want: number
  at: number
  expiresAt: number
  perDay: number
  /** Maximum spending under its leash on the day it was made. */
  leashMaxSpend?: number | undefined
}

/** Spending of one day (UTC). */
export interface DaySpending {
  /** Charged for calls, faxes and messages. */
  spent: number
  /** Held by reservations made on this day. */
  held: number
  /** Percentage of the limit last warned about; 0: none. */
  warned: number
}

interface Posting {
  book: Book
  amount: number
}

/** Purpose and origin of a charge. */
export interface Spent {
  purpose: Purpose | 'SIM'
  /** Own number shown to others. */
  number?: string | undefined
  userId?: string | undefined
  /** ISO 3166 code of the destination. */
  country?: string | undefined
  /** Talk time. */
  seconds?: number | undefined
  /** SMS segments, or fax pages. */
  units?: number | undefined
}

export interface Booking {
  /** Idempotency key, unique in the account. */
  key: string
  reason: string
  sessionId?: string
  actor: string
  at: number
  /** Missing for payments and corrections. */
  spent?: Spent | undefined
  /** At least two, summing to zero. */
  postings: readonly Posting[]
}

export interface LedgerEntry extends Omit<Booking, 'sessionId' | 'postings' | 'spent'> {
  id: string
  /** Increases; cursor for pages. */
  position: number
  sessionId: string | undefined
  /** Effect on the balance. */
  amount: number
}

/** Money of the accounts. The ledger is append-only. */
export interface Balances {
  /** Opens an empty balance for a new account. */
  open(accountId: string, currency: string): Promise<void>
  find(accountId: string): Promise<Balance | undefined>
  /** False if more than the new limit is already spent or reserved. */
  setCreditLimit(accountId: string, creditLimit: number): Promise<boolean>

  /**
   * `not_covered`, `day_full`, `leash_full`: the balance, the day's limit or the leash does not allow `min`; then nothing is written. A
   * session that has a reservation gets the same one; a released one is reserved again, because a failed try may be repeated.
   */
  reserve(accountId: string, input: ReservationRequest): Promise<Reservation | 'not_covered' | 'day_full' | 'leash_full'>
  /** True for one claimant among all processes, also when repeated: the process that executes the reserved session. */
  claim(accountId: string, sessionId: string, claimant: string): Promise<boolean>
  /**
   * Raises it to `want`, or as far as the money and the day's limit allow, and returns the held amount; a larger one stays. Undefined if
   * it is not open.
   */
  extend(accountId: string, sessionId: string, extension: Extension): Promise<{ amount: number; spare: Spare } | undefined>
  /** Extends the expiry only. */
  keepUntil(accountId: string, sessionId: string, expiresAt: number): Promise<void>
  /** Charges the cost, at most the reserved amount, and releases the rest. Undefined if it is not open: a session is charged once. */
  commit(
    accountId: string,
    sessionId: string,
    booking: { cost: number; reason: string; at: number; spent: Spent },
  ): Promise<number | undefined>
  /** Use of a leash on this day. */
  leashUse(accountId: string, leash: string, at: number): Promise<LeashUse>
  spendingOf(accountId: string, at: number): Promise<DaySpending>
  /** True once a day per percentage, and never for a lower one after a higher one. */
  noteWarning(accountId: string, at: number, percent: number): Promise<boolean>
  /** False if it is not open. */
  release(accountId: string, sessionId: string): Promise<boolean>
  /** Its `spare` does not consider the day's limit, and is 0 under a leash. */
  findReservation(accountId: string, sessionId: string): Promise<Reservation | undefined>
  /** Counts other sessions of this purpose: open ones, and those started after `since`. */
  countSessions(accountId: string, purpose: Purpose, other: { than: string; since: number }): Promise<{ open: number; started: number }>

  /** `known`: the key was booked before. `not_covered`: the balance is insufficient. Both write nothing. */
  book(accountId: string, booking: Booking): Promise<'booked' | 'known' | 'not_covered'>
  findEntry(accountId: string, key: string): Promise<LedgerEntry | undefined>
  /** Newest first. */
  listEntries(accountId: string, page: { before?: number; limit: number; offset?: number }): Promise<LedgerEntry[]>
}

/** Undefined: the installation's default. */
export interface SpendingLimits {
  /** Operator's maximum per day for calls, faxes and messages, in ten-thousandths. */
  perDay: number | undefined
  /** Customer's maximum per day; the lower one applies. */
  ownPerDay: number | undefined
  /** Customer's maximum per call. */
  perCall: number | undefined
  /** Balance below which the customer is warned. */
  warnBelow: number | undefined
  /** Maximum concurrent paid legs. */
  paidCalls: number | undefined
  /** Countries (ISO 3166), number prefixes (digits) and short-number prefixes (`DE:33`) allowed in addition to the defaults. */
  opened: readonly string[]
}

export interface Limits {
  find(accountId: string): Promise<SpendingLimits>
  /** Missing fields stay. */
  set(accountId: string, change: Partial<SpendingLimits>): Promise<void>
  /** True for the first that finds the balance below the warning threshold since it was last above. */
  noteLow(accountId: string): Promise<boolean>
  /** Resets the warning when the balance is above again. */
  forgetLow(accountId: string): Promise<void>
  ofInstallation(): Promise<SpendingLimits>
  setOfInstallation(change: Partial<SpendingLimits>): Promise<void>
}

/** Priced service. CALL, FAX and SMS by destination; SIM has one price. */
export type Service = 'CALL' | 'FAX' | 'SMS' | 'SIM'

export interface Tariff {
  id: string
  name: string
  currency: string
  createdAt: number
}

/** Amounts are integers, ten-thousandths of the currency unit. */
export interface Rate {
  /** Charged once when the call is answered. */
  connectFee: number
  ratePerMinute: number
  /** Length of the first pulse; 0 means one increment. */
  minSeconds: number
  /** Length of every further pulse, at least 1. With `minSeconds` the usual notation: 60/60, 60/1, 1/1. */
  incrementSeconds: number
  /** Per SMS segment, fax page or SIM card. */
  perUnit: number
  /** Calls to the destination are not allowed. */
  blocked: boolean
}

export interface TariffRate extends Rate {
  id: number
  service: Service
  /** E.164 digits without the plus sign; the empty one applies to destinations without a longer match. `DE:115` is for short numbers of a country. */
  prefix: string
  validFrom: number
  /** Exclusive end; undefined if none is known. */
  validUntil: number | undefined
}

export type NewRate = Omit<TariffRate, 'id'>

export interface Tariffs {
  list(): Promise<Tariff[]>
  find(id: string): Promise<Tariff | undefined>
  /** Same as `find`; others that change its rates wait until this transaction ends. */
  lock(id: string): Promise<Tariff | undefined>
  /** False if the id is taken. */
  insert(tariff: Tariff): Promise<boolean>
  /** Rate valid at this time for the longest of the prefixes. */
  findRate(tariffId: string, service: Service, prefixes: readonly string[], at: number): Promise<TariffRate | undefined>
  /** In order of creation. With `endingAfter` only rates valid then or later. */
  listRates(
    tariffId: string,
    page: { after: number; limit: number; offset?: number; service?: Service; endingAfter?: number },
  ): Promise<TariffRate[]>
  /** All rates of exactly this prefix that are valid at some time after `from`. */
  ratesOf(tariffId: string, service: Service, prefix: string, from: number): Promise<TariffRate[]>
  findRateById(tariffId: string, rateId: number): Promise<TariffRate | undefined>
  insertRate(tariffId: string, rate: NewRate): Promise<number>
  endRate(tariffId: string, rateId: number, validUntil: number): Promise<void>
}

export type UsageKey = 'purpose' | 'number' | 'user' | 'country' | 'quarter'

/** Sums over charges; `key` is null if the entries lack it. */
export interface UsageSum {
  /** `quarter`: quarters of an hour since 1970, since the start of a day depends on the time zone. */
  key: string | null
  /** As in `Spent`; entries of old versions have only the reason. */
  purpose: string
  entries: number
  seconds: number
  units: number
  amount: number
}

/** Effect of a ledger span on the balance, by the contra account. */
export interface BookSum {
  book: 'payments' | 'adjustments'
  amount: number
}

/** Exclusive end. */
export interface TimeSpan {
  from: number
  to: number
}

export interface Usages {
  sums(accountId: string, key: UsageKey, span: TimeSpan): Promise<UsageSum[]>
  /** Payments and corrections. */
  movements(accountId: string, span: TimeSpan): Promise<BookSum[]>
  /** Sum of the balance postings before this time. */
  balanceAt(accountId: string, at: number): Promise<number>
  /** Accounts with entries in the span and without a statement of that month, by id. */
  accountsIn(month: string, span: TimeSpan, page: { after: string; limit: number }): Promise<string[]>
}

export type StatementKind = 'STATEMENT' | 'INVOICE'

export interface StoredStatement {
  /** `2026-11` */
  month: string
  kind: StatementKind
  number: number
  /** Content in its hashed form. */
  content: string
  hash: string
  createdAt: number
}

/** Append-only. */
export interface Statements {
  /** Newest first. */
  list(accountId: string): Promise<StoredStatement[]>
  find(accountId: string, month: string): Promise<StoredStatement | undefined>
  /** Next number of this kind: locked until the end of the transaction, so that no number is missing. */
  nextNumber(kind: StatementKind): Promise<number>
  insert(accountId: string, statement: StoredStatement): Promise<void>
}
