/** Undefined: as the installation has it. */
export interface SpendingLimits {
  /** The most that calls, faxes and messages may cost in a day, in ten-thousandths: what the operator allows. */
  perDay: number | undefined
  /** What the customer allows; the lower one holds. */
  ownPerDay: number | undefined
  /** What the customer allows for one call. */
  perCall: number | undefined
  /** The customer is told when the balance falls below it. */
  warnBelow: number | undefined
  /** How many paid legs may run at the same time. */
  paidCalls: number | undefined
  /** Countries (ISO 3166) and beginnings of numbers (digits) that may be reached besides the usual ones. */
  opened: readonly string[]
}

export interface Limits {
  find(accountId: string): Promise<SpendingLimits>
  /** What is not named stays. */
  set(accountId: string, change: Partial<SpendingLimits>): Promise<void>
  /** True for the first that finds the balance below what it is to be warned of, since it was last above. */
  noteLow(accountId: string): Promise<boolean>
  /** It is above again. */
  forgetLow(accountId: string): Promise<void>
  ofInstallation(): Promise<SpendingLimits>
  setOfInstallation(change: Partial<SpendingLimits>): Promise<void>
}
