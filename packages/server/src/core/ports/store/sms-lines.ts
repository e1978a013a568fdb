export interface SmsLines {
  /** An SMS extension of a user; gives its id. */
  create(accountId: string, wish: { owner: string; alias: string; at: number }): Promise<string>
}
