export interface Balances {
  /** An empty purse for a new account. */
  open(accountId: string, currency: string): Promise<void>
}
