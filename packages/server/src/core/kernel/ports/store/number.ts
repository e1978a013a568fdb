import type { Variables } from '@offhook/contract/assistant/variables.ts'

export type StoredNumberType = 'MOBILE' | 'LANDLINE' | 'QUICKDIAL' | 'INTERNATIONAL'

/** ACTIVE and ADDRESS_PENDING are callable: the latter until the new address is accepted or rejected for the number. */
type NumberState = 'ACTIVE' | 'ADDRESS_PENDING' | 'DEACTIVATED' | 'PORTING_IN' | 'PORTED_OUT'

export interface AccountNumber {
  id: string
  accountId: string
  /** With the plus sign; missing for a quick dial. */
  e164: string | undefined
  /** Digits of a quick dial; missing for others. */
  short: string | undefined
  type: StoredNumberType
  state: NumberState
  /** Routing destination: a phone line, group, fax line, voicemail or SMS extension. Excludes `flowId`. */
  endpointId: string | undefined
  /** Routing destination: a flow. Excludes `endpointId`. */
  flowId: string | undefined
  /** Name of that extension or flow. */
  endpointAlias: string | undefined
  /** User or group that owns the extension. */
  endpointOwner: string | undefined
  /** Address that entitles the account to a landline number. */
  addressId: number | undefined
  /** Place that the operator approved for this number; see `placeKey`. */
  approvedPlace: string | undefined
  mnpReleasedUntil: number | undefined
  /** Deadline after which an unconfirmed ADDRESS_PENDING number is deactivated. */
  decideBy: number | undefined
  /** Defaults of the variables of assistants' calls with this number. */
  variables?: Variables | undefined
  /** Open porting of this number. */
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

/** Routing destination of a number; empty: none. */
export interface Routing {
  endpointId?: string
  flowId?: string
}

export interface Numbers {
  list(accountId: string): Promise<AccountNumber[]>
  /** Numbers routed to this user's phone lines, fax lines, voicemails or SMS extensions. */
  listByUser(accountId: string, userId: string): Promise<AccountNumber[]>
  listByEndpoint(accountId: string, endpointId: string): Promise<AccountNumber[]>
  listByFlow(accountId: string, flowId: string): Promise<AccountNumber[]>
  listByAddress(accountId: string, addressId: number): Promise<AccountNumber[]>
  find(accountId: string, id: string): Promise<AccountNumber | undefined>
  /** Same as `find`; locks the number until the transaction ends. */
  lock(accountId: string, id: string): Promise<AccountNumber | undefined>
  /** Callable number of the account; excludes deactivated, still arriving and ported-out ones. */
  findByE164(accountId: string, e164: string): Promise<AccountNumber | undefined>
  /** Callable number of any account: for inbound calls and other carriers' requests. */
  findCallable(e164: string): Promise<AccountNumber | undefined>
  /** Entries of numbers ported to another carrier, in all accounts. */
  listPortedOut(e164: string): Promise<AccountNumber[]>
  findQuickDial(accountId: string, short: string): Promise<AccountNumber | undefined>
  /** False if the number is taken, or the endpoint already has a quick dial. */
  insert(accountId: string, number: NewNumber): Promise<boolean>
  setRouting(accountId: string, id: string, routing: Routing): Promise<void>
  setQuickDial(accountId: string, id: string, quickDial: { short: string; endpointId: string }): Promise<void>
  setState(accountId: string, id: string, state: NumberState, decideBy?: number): Promise<void>
  approvePlace(accountId: string, id: string, place: string): Promise<void>
  /** Without any: undefined. */
  setVariables(accountId: string, id: string, variables: Variables | undefined): Promise<void>
  setMnpRelease(accountId: string, id: string, until: number | undefined): Promise<void>
  remove(accountId: string, id: string): Promise<boolean>
  /** For the operator: all accounts' numbers without quick dials, by id. */
  page(page: { after: string; limit: number; offset?: number; accountId?: string; e164?: string }): Promise<AccountNumber[]>
  /** For the operator, across accounts. */
  findAnywhere(id: string): Promise<AccountNumber | undefined>
}

/** Number that accounts can order. */
export interface StockNumber {
  id: string
  e164: string
  /** ISO 3166; empty for numbers without a country. */
  country: string
  /** Digits after the country code for the place or kind: the area code if known, else empty. */
  area: string
  /** One-time price, paid with the order; ten-thousandths of the paying account's currency. */
  price: number
  /** Resulting number of the account. */
  numberId: string | undefined
  /** End of the quarantine: a number is not reassigned right after its release. */
  freeFrom: number
}

export interface StockSearch {
  /** Cursor, by e164. */
  after: string
  limit: number
  offset?: number
  country?: string
  area?: string
  /** Digits anywhere in the number. */
  digits?: string
}

/** Owned by the operator; accounts see the free numbers. */
export interface NumberStock {
  /** False if the number is already in stock. */
  add(number: Omit<StockNumber, 'numberId' | 'freeFrom'>, at: number): Promise<boolean>
  page(search: StockSearch): Promise<StockNumber[]>
  free(search: StockSearch, at: number): Promise<StockNumber[]>
  /** Locks it until the transaction ends. */
  lock(id: string): Promise<StockNumber | undefined>
  give(id: string, numberId: string): Promise<void>
  /** Whether an account's number came from the stock. */
  isOrdered(numberId: string): Promise<boolean>
  /** Returns an account's number to the stock. No-op for a number that was never in stock. */
  takeBack(numberId: string, freeFrom: number): Promise<void>
  remove(id: string): Promise<boolean>
}

/** Contract holder at the present carrier, as registered there. */
export interface Holder {
  /** Company or person. */
  name: string
  street: string
  number: string
  postcode: string
  city: string
  country: string
}

/** New data that replaces the old once the present carrier has released the old agreement. */
export interface Correction {
  holder: Holder
  email: string
  wishedDate: string | undefined
}

type PortingDirection = 'IN' | 'OUT'
export type StoredStatus = 100 | 150 | 160 | 170 | 200 | 250 | 251 | 252 | 400 | 450 | 451 | 500 | 600

export interface StoredPorting {
  id: number
  accountId: string
  /** IN: to us; OUT: away from us. */
  direction: PortingDirection
  status: StoredStatus
  /** Calendar date, `2026-12-01`; null until agreed. */
  portDate: string | null
  wishedDate: string | undefined
  /** Code of the other carrier, if we can exchange messages with it. */
  carrier: string | undefined
  holder: Holder
  /** Identifies the request in all messages of both carriers. */
  preAgreementId: string | undefined
  email: string
  /** Hash of the consent link's secret; undefined once it was used. */
  optinHash: string | undefined
  optinExpires: number | undefined
  cancelRequested: boolean
  correction: Correction | undefined
  /** Reason for the other carrier's last rejection. */
  reason: string
  numbers: { id: string; e164: string }[]
}

type NewPorting = Pick<StoredPorting, 'accountId' | 'direction' | 'status' | 'portDate' | 'holder' | 'email' | 'numbers'> &
  Partial<Pick<StoredPorting, 'wishedDate' | 'carrier' | 'preAgreementId'>>

export interface PortingLogEntry {
  at: number
  from: StoredStatus | undefined
  event: string
  to: StoredStatus
  codes: string[]
  actor: string
}

export interface Portings {
  /** Portings to this account. */
  list(accountId: string): Promise<StoredPorting[]>
  find(accountId: string, id: number): Promise<StoredPorting | undefined>
  insert(porting: NewPorting, at: number): Promise<StoredPorting>
  save(porting: StoredPorting, at: number): Promise<void>
  appendEvent(id: number, entry: PortingLogEntry): Promise<void>
  events(id: number): Promise<PortingLogEntry[]>

  /** From here on: for the operator, for jobs and for messages of other carriers, across accounts. Locks last until the transaction ends. */
  lock(id: number): Promise<StoredPorting | undefined>
  findByAgreement(direction: PortingDirection, preAgreementId: string): Promise<StoredPorting | undefined>
  lockByAgreement(direction: PortingDirection, preAgreementId: string): Promise<StoredPorting | undefined>
  findByOptin(hash: string): Promise<StoredPorting | undefined>
  page(page: { after: number; limit: number; offset?: number; accountId?: string }): Promise<StoredPorting[]>
  /** Whether the number is promised to another carrier, even if its account no longer has it. */
  isLeaving(e164: string): Promise<boolean>
  hasOpenWith(carrier: string): Promise<boolean>
}

export interface PortingDocument {
  id: string
  name: string
  bytes: number
  addedAt: number
}

/** PDFs of a porting. Sealed: they contain names, addresses and signatures. */
export interface PortingDocuments {
  list(accountId: string, portingId: number): Promise<PortingDocument[]>
  content(accountId: string, portingId: number, id: string): Promise<(PortingDocument & { contentSealed: string }) | undefined>
  insert(accountId: string, portingId: number, document: PortingDocument & { contentSealed: string }): Promise<void>
  remove(accountId: string, portingId: number, id: string): Promise<boolean>
  removeByAccount(accountId: string): Promise<void>
}

/** Carrier for number porting. */
export interface Carrier {
  code: string
  name: string
  /** Its messages go to `{url}/carrier/v1/messages`. */
  url: string
  /** Shared signing secret, sealed. */
  secretSealed: string
}

export interface Carriers {
  list(): Promise<Carrier[]>
  find(code: string): Promise<Carrier | undefined>
  /** False if the code is taken. */
  insert(carrier: Carrier, at: number): Promise<boolean>
  update(code: string, change: Partial<Omit<Carrier, 'code'>>): Promise<boolean>
  remove(code: string): Promise<boolean>
  /** False if this message was recorded before. */
  recordMessage(message: { id: string; carrier: string; direction: 'IN' | 'OUT'; type: string; at: number }): Promise<boolean>
}

export interface Address {
  id: number
  poBox: string
  extendedAddress: string
  street: string
  houseNumber: string
  locality: string
  region: string
  postalCode: string
  country: string
}

export interface Addresses {
  list(accountId: string): Promise<Address[]>
  find(accountId: string, id: number): Promise<Address | undefined>
  /** Same as `find`; locks the address until the transaction ends. */
  lock(accountId: string, id: number): Promise<Address | undefined>
  insert(accountId: string, address: Omit<Address, 'id'>, at: number): Promise<number>
  update(accountId: string, address: Address, at: number): Promise<boolean>
}

/** STOCK with a holder is a card picked for an order, or handed to an account. DEACTIVATED is final. */
type SimCardState = 'STOCK' | 'SHIPPED' | 'ACTIVE' | 'DEACTIVATED'
export type SimOrderState = 'ORDERED' | 'PICKED' | 'SHIPPED' | 'DELIVERED' | 'ACTIVATED' | 'CANCELLED'

export interface SimHolder {
  accountId: string
  /** Missing if the operator handed the card over without an order. */
  deviceId?: string
}

export interface SimCard {
  iccid: string
  imsi: string | undefined
  puk1Sealed: string
  puk2Sealed: string
  state: SimCardState
  holder: SimHolder | undefined
}

export interface SimOrder {
  id: string
  accountId: string
  deviceId: string
  state: SimOrderState
  iccid: string | undefined
  /** Address at the time of the order. */
  address: Omit<Address, 'id'>
  orderedBy: string
  createdAt: number
  updatedAt: number
}

/** The operator owns the stock; a customer's cards and orders are only returned for their account. */
export interface Sims {
  /** False if the card or its IMSI is already known. */
  addCard(card: Omit<SimCard, 'state'>): Promise<boolean>
  listCards(page: { after: string; limit: number; offset?: number; state?: SimCardState }): Promise<SimCard[]>
  /** Locks the card until the transaction ends. */
  lockCard(iccid: string): Promise<SimCard | undefined>
  setCard(iccid: string, state: SimCardState, holder: SimHolder | undefined): Promise<void>
  /** Active card per device; devices without one are absent. */
  activeCards(accountId: string, deviceIds: readonly string[]): Promise<Map<string, SimCard>>

  /** False if the device already waits for a card. */
  insertOrder(order: SimOrder): Promise<boolean>
  findOrder(accountId: string, id: string): Promise<SimOrder | undefined>
  /** For the operator, across accounts; locks the order until the transaction ends. */
  lockOrder(id: string): Promise<SimOrder | undefined>
  /** Open order of the device; locks it until the transaction ends. */
  lockOpenOrder(accountId: string, deviceId: string): Promise<SimOrder | undefined>
  setOrder(id: string, state: SimOrderState, iccid: string | undefined, at: number): Promise<void>
  /** Newest first. */
  listOrders(accountId: string, deviceId: string): Promise<SimOrder[]>
  /** Orders of all accounts, oldest first; `after` is the id of the last one of the previous page. */
  listAllOrders(page: { limit: number; offset?: number; after?: string; state?: SimOrderState }): Promise<SimOrder[]>
  devicesWithOpenOrder(accountId: string, deviceIds: readonly string[]): Promise<Set<string>>
}
