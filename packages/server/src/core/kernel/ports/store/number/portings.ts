/** Who has the contract with the present carrier, as written there. */
export interface Holder {
  /** A company or a person. */
  name: string
  street: string
  number: string
  postcode: string
  city: string
  country: string
}

/** New data that replaces the old once the present carrier has given the old agreement up. */
export interface Correction {
  holder: Holder
  email: string
  wishedDate: string | undefined
}

export type PortingDirection = 'IN' | 'OUT'
export type StoredStatus = 100 | 150 | 160 | 170 | 200 | 250 | 251 | 252 | 400 | 450 | 451 | 500 | 600

export interface StoredPorting {
  id: number
  accountId: string
  /** IN: to us; OUT: away from us. */
  direction: PortingDirection
  status: StoredStatus
  /** Calendar date, `2026-12-01`; null until it is agreed. */
  portDate: string | null
  wishedDate: string | undefined
  /** Code of the other carrier, if we can exchange messages with it. */
  carrier: string | undefined
  holder: Holder
  /** Names the request in all messages of both carriers. */
  preAgreementId: string | undefined
  email: string
  /** Hash of the consent link's secret; undefined once it was used. */
  optinHash: string | undefined
  optinExpires: number | undefined
  cancelRequested: boolean
  correction: Correction | undefined
  /** Why the other carrier refused the last time. */
  reason: string
  numbers: { id: string; e164: string }[]
}

export type NewPorting = Pick<StoredPorting, 'accountId' | 'direction' | 'status' | 'portDate' | 'holder' | 'email' | 'numbers'> &
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
  /** Those that bring numbers to the account. */
  list(accountId: string): Promise<StoredPorting[]>
  find(accountId: string, id: number): Promise<StoredPorting | undefined>
  insert(porting: NewPorting, at: number): Promise<StoredPorting>
  save(porting: StoredPorting, at: number): Promise<void>
  appendEvent(id: number, entry: PortingLogEntry): Promise<void>
  events(id: number): Promise<PortingLogEntry[]>

  /** The rest is for the operator, for jobs and for messages of other carriers, which know no account. The locks last until the transaction ends. */
  lock(id: number): Promise<StoredPorting | undefined>
  findByAgreement(direction: PortingDirection, preAgreementId: string): Promise<StoredPorting | undefined>
  lockByAgreement(direction: PortingDirection, preAgreementId: string): Promise<StoredPorting | undefined>
  findByOptin(hash: string): Promise<StoredPorting | undefined>
  page(page: { after: number; limit: number; accountId?: string }): Promise<StoredPorting[]>
  /** Whether the number is promised to another carrier, also when the account that had it does not have it any more. */
  isLeaving(e164: string): Promise<boolean>
  hasOpenWith(carrier: string): Promise<boolean>
}
