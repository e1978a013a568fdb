export type StoredNumberType = 'MOBILE' | 'LANDLINE' | 'QUICKDIAL' | 'INTERNATIONAL'

/** Callable are ACTIVE and ADDRESS_PENDING: the latter until it is decided whether the new address allows the number. */
export type NumberState = 'ACTIVE' | 'ADDRESS_PENDING' | 'DEACTIVATED' | 'PORTING_IN' | 'PORTED_OUT'

export interface AccountNumber {
  id: string
  accountId: string
  /** With the plus sign; a quick dial has none. */
  e164: string | undefined
  /** The digits of a quick dial; all others have none. */
  short: string | undefined
  type: StoredNumberType
  state: NumberState
  /** Where calls go: a phone line, group, fax line, voicemail or SMS extension, … */
  endpointId: string | undefined
  /** … or a flow. Never both. */
  flowId: string | undefined
  /** Name of that extension or flow. */
  endpointAlias: string | undefined
  /** The user or group behind the extension. */
  endpointOwner: string | undefined
  /** The address that justifies a landline number. */
  addressId: number | undefined
  /** The place that the operator approved for this number; see `placeKey`. */
  approvedPlace: string | undefined
  mnpReleasedUntil: number | undefined
  /** When an ADDRESS_PENDING number is deactivated unless it was confirmed. */
  decideBy: number | undefined
  /** The open porting that brings this number. */
  porting: { id: number; status: number } | undefined
}

export interface NewNumber {
  id: string
  e164?: string
  short?: string
  type: StoredNumberType
  state: NumberState
  endpointId?: string
  addressId?: number
  approvedPlace?: string
  decideBy?: number
  createdAt: number
}

/** Where calls to a number go; nothing means nowhere. */
export interface Routing {
  endpointId?: string
  flowId?: string
}

export interface Numbers {
  list(accountId: string): Promise<AccountNumber[]>
  /** Numbers that lead to something of this user: phone lines, fax lines, voicemails, SMS extensions. */
  listByUser(accountId: string, userId: string): Promise<AccountNumber[]>
  listByEndpoint(accountId: string, endpointId: string): Promise<AccountNumber[]>
  listByFlow(accountId: string, flowId: string): Promise<AccountNumber[]>
  listByAddress(accountId: string, addressId: number): Promise<AccountNumber[]>
  find(accountId: string, id: string): Promise<AccountNumber | undefined>
  /** Like find, and locks the number until the transaction ends. */
  lock(accountId: string, id: string): Promise<AccountNumber | undefined>
  /** The callable number of the account; one that is deactivated, still arriving or gone is not found. */
  findByE164(accountId: string, e164: string): Promise<AccountNumber | undefined>
  /** The callable number of any account: for incoming calls and other carriers' requests. */
  findCallable(e164: string): Promise<AccountNumber | undefined>
  /** Entries that say the number is at another carrier now, in all accounts. */
  listPortedOut(e164: string): Promise<AccountNumber[]>
  findQuickDial(accountId: string, short: string): Promise<AccountNumber | undefined>
  /** False when the number is taken, or the endpoint has its quick dial already. */
  insert(accountId: string, number: NewNumber): Promise<boolean>
  setRouting(accountId: string, id: string, routing: Routing): Promise<void>
  setQuickDial(accountId: string, id: string, quickDial: { short: string; endpointId: string }): Promise<void>
  setState(accountId: string, id: string, state: NumberState, decideBy?: number): Promise<void>
  approvePlace(accountId: string, id: string, place: string): Promise<void>
  setMnpRelease(accountId: string, id: string, until: number | undefined): Promise<void>
  remove(accountId: string, id: string): Promise<boolean>
  /** For the operator: all accounts' numbers without quick dials, by id. */
  page(page: { after: string; limit: number; accountId?: string; e164?: string }): Promise<AccountNumber[]>
  /** For the operator, who knows no account. */
  findAnywhere(id: string): Promise<AccountNumber | undefined>
}
