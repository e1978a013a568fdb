export interface Faxlines {
  /** A fax line of a user or a group; gives its id. */
  create(accountId: string, wish: { owner: string; alias: string; at: number }): Promise<string>
}
