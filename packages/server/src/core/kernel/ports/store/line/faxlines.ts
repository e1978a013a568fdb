export interface Faxline {
  id: string
  alias: string
  /** The user or group it belongs to. */
  owner: string
  /** Printed at the top of every page. */
  tagline: string
  /** E.164; undefined when none was chosen. */
  callerId: string | undefined
  canSend: boolean
  canReceive: boolean
}

/** Fax lines that were deleted are not found by any of these. */
export interface Faxlines {
  /** A fax line of a user or a group; gives its id. */
  create(accountId: string, input: { owner: string; alias: string; at: number }): Promise<string>
  listByOwner(accountId: string, owner: string): Promise<Faxline[]>
  find(accountId: string, id: string): Promise<Faxline | undefined>
  setTagline(accountId: string, id: string, tagline: string): Promise<void>
  setCallerId(accountId: string, id: string, callerId: string | undefined): Promise<void>
  remove(accountId: string, id: string, at: number): Promise<void>
}
