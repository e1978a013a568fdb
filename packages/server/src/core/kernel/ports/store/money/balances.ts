/** Whose side of an entry it is: the customer's purse, what we earned, what was paid in, what was corrected by hand. */
export type Book = 'balance' | 'revenue' | 'payments' | 'adjustments'

/** All amounts are integers, ten-thousandths of the currency unit. */
export interface Balance {
  currency: string
  /** Booked money: always the sum of the account's postings in the book `balance`. */
  amount: number
  /** Part of it that open reservations hold. */
  reserved: number
  /** How far below zero the account may go. */
  creditLimit: number
}

/** FLOW is a call that an assistant makes; it is counted apart because it has caps of its own. */
export type Purpose = 'CALL' | 'FLOW' | 'FAX' | 'SMS'
export type ReservationState = 'OPEN' | 'COMMITTED' | 'RELEASED'

export interface Reservation {
  sessionId: string
  purpose: Purpose
  amount: number
  state: ReservationState
  /** What the price will be computed from. */
  detail: unknown
  createdAt: number
  expiresAt: number
  /** Under which it was ordered. */
  leash: string | undefined
}

/** What was done under a leash on one day. */
export interface LeashUse {
  /** Those that were given back are not counted. */
  calls: number
  sms: number
  /** Paid, or held for what is under way. */
  spent: number
}

export interface ReservationRequest {
  sessionId: string
  purpose: Purpose
  /** Less than this is refused … */
  min: number
  /** … and as much as there is, up to this, is taken. */
  want: number
  detail: unknown
  at: number
  /** From then on the money is free again unless the reservation was extended. */
  expiresAt: number
  /** The most that may be spent on this day. */
  perDay: number
  /** Under which it is ordered, and the most that may be spent under it on this day. */
  leash?: { key: string; maxSpend: number | undefined } | undefined
}

export interface Extension {
  want: number
  at: number
  expiresAt: number
  perDay: number
  /** The most that may be spent under its leash on the day on which it was made. */
  leashMaxSpend?: number | undefined
}

/** Of one day (UTC). */
export interface DaySpending {
  /** What was paid for calls, faxes and messages. */
  spent: number
  /** What reservations hold that were made on this day. */
  held: number
  /** The percentage of the limit that was told last; 0: none. */
  warned: number
}

export interface Posting {
  book: Book
  amount: number
}

/** What an entry of the ledger was spent on, and by whom. */
export interface Spent {
  purpose: Purpose | 'SIM'
  /** The own number that others saw. */
  number?: string | undefined
  userId?: string | undefined
  /** ISO 3166, of the destination. */
  country?: string | undefined
  /** Talked. */
  seconds?: number | undefined
  /** Parts of an SMS, or pages of a fax. */
  units?: number | undefined
}

export interface Booking {
  /** Unique in the account: the same key is booked once. */
  key: string
  reason: string
  sessionId?: string
  actor: string
  at: number
  /** Unless it is a payment or a correction. */
  spent?: Spent | undefined
  /** At least two, and together zero. */
  postings: readonly Posting[]
}

export interface LedgerEntry extends Omit<Booking, 'sessionId' | 'postings' | 'spent'> {
  id: string
  /** Counts up; pages continue from it. */
  position: number
  sessionId: string | undefined
  /** What it did to the purse. */
  amount: number
}

/** The money of the accounts. Ledger entries are only ever added. */
export interface Balances {
  /** An empty purse for a new account. */
  open(accountId: string, currency: string): Promise<void>
  find(accountId: string): Promise<Balance | undefined>
  /** False when more than the new limit is already spent or reserved. */
  setCreditLimit(accountId: string, creditLimit: number): Promise<boolean>

  /**
   * `not_covered`, `day_full`, `leash_full`: the purse, the day's limit or the leash does not leave `min`; then nothing is written. A session that already has a reservation gets the one it has; one that
   * was released is reserved anew, because a try that failed may be repeated.
   */
  reserve(accountId: string, input: ReservationRequest): Promise<Reservation | 'not_covered' | 'day_full' | 'leash_full'>
  /** True for one only, of all processes, however often it asks: for the process that carries out what the money was reserved for. */
  claim(accountId: string, sessionId: string, claimant: string): Promise<boolean>
  /**
   * Raises it to `want`, or as far as the money and the day's limit go, and gives what it holds now; one that holds more already keeps it. Undefined when it
   * is not open (any more).
   */
  extend(accountId: string, sessionId: string, extension: Extension): Promise<number | undefined>
  /** Keeps it longer as it is. */
  keepUntil(accountId: string, sessionId: string, expiresAt: number): Promise<void>
  /** Books the cost, at most what is reserved, and frees the rest. Undefined when it is not open (any more): money is taken once. */
  commit(
    accountId: string,
    sessionId: string,
    booking: { cost: number; reason: string; at: number; spent: Spent },
  ): Promise<number | undefined>
  /** What was begun under a leash on this day. */
  leashUse(accountId: string, leash: string, at: number): Promise<LeashUse>
  spendingOf(accountId: string, at: number): Promise<DaySpending>
  /** True once a day for each percentage, and never for a lower one after a higher one. */
  noteWarning(accountId: string, at: number, percent: number): Promise<boolean>
  /** False when it is not open (any more). */
  release(accountId: string, sessionId: string): Promise<boolean>
  findReservation(accountId: string, sessionId: string): Promise<Reservation | undefined>
  /** Other sessions of this purpose: how many are open, and how many were started after `since`. */
  countSessions(accountId: string, purpose: Purpose, other: { than: string; since: number }): Promise<{ open: number; started: number }>

  /** `known`: the key was booked before. `not_covered`: the purse does not hold what would be taken. In both cases nothing is written. */
  book(accountId: string, booking: Booking): Promise<'booked' | 'known' | 'not_covered'>
  findEntry(accountId: string, key: string): Promise<LedgerEntry | undefined>
  /** Newest first. */
  listEntries(accountId: string, page: { before?: number; limit: number }): Promise<LedgerEntry[]>
}
