/** Undefined: as the installation has it. */
export interface SpendingLimits {
  /** The most that calls, faxes and messages may cost in a day, in ten-thousandths: what the operator allows. */
  perDay: number | undefined
  /** What the customer allows; the lower one holds. */
  ownPerDay: number | undefined
  /** How many paid legs may run at the same time. */
  paidCalls: number | undefined
  /** Countries (ISO 3166) and beginnings of numbers (digits) that may be reached besides the usual ones. */
  opened: readonly string[]
}

export interface Limits {
  find(accountId: string): Promise<SpendingLimits>
  /** What is not named stays. */
  set(accountId: string, change: Partial<SpendingLimits>): Promise<void>
  ofInstallation(): Promise<SpendingLimits>
  setOfInstallation(change: Partial<SpendingLimits>): Promise<void>
}
