/** Signs call notifications to an account's own software. */
export interface PushSecret {
  id: string
  /** Sealed by the vault. */
  sealed: string
  createdAt: number
  /** Set when a newer one replaced it. */
  expiresAt: number | undefined
}

export interface PushSecrets {
  /** Includes expired ones; newest first. */
  list(accountId: string): Promise<PushSecret[]>
  insert(accountId: string, secret: PushSecret): Promise<void>
  /** Sets the expiry of all that have none. */
  expireAll(accountId: string, expiresAt: number): Promise<void>
  remove(accountId: string, id: string): Promise<boolean>
}

/** Call notification settings of an account (svcio). */
export interface PushSetting {
  /** Empty: not notified. */
  incomingUrl: string
  outgoingUrl: string
  /** Stores requests and responses. */
  log: boolean
  /** Phone lines and groups; undefined means all. */
  whitelist: string[] | undefined
  /** Format of the body. */
  format: PushFormat
}

export type PushFormat = 'form' | 'json'

export interface PushSettings {
  find(accountId: string): Promise<PushSetting | undefined>
  /** Whether the account has booked the feature and set a URL for this direction: for all calls, or for those of a phone line. */
  hasAddress(accountId: string, direction: 'in' | 'out'): Promise<boolean>
  save(accountId: string, setting: PushSetting): Promise<void>
}

/** Request to an account's own software and its response, for the debug log. Contains numbers: it is the customer's own. */
export interface PushExchange {
  /** Increases with time. */
  id: string
  accountId: string
  /** Phone line whose own URL was used. */
  line: string | undefined
  /** `sound`: a file for `play` that could not be fetched. */
  event: 'newCall' | 'answer' | 'hangup' | 'dtmf' | 'sound'
  callId: string
  at: number
  url: string
  request: string
  response: string
  /** Error in the response. */
  xmlError: string | undefined
  status: number | undefined
}

export interface PushExchanges {
  insert(exchanges: readonly PushExchange[]): Promise<void>
  /** Newest first. */
  list(accountId: string, filter: { line?: string; limit: number; offset?: number }): Promise<PushExchange[]>
  /** Keeps the latest `kept` of each account and removes all before `at`. */
  sweep(at: number, kept: number): Promise<number>
}
