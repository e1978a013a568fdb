/** Where calls of an account are told to (svcio). */
export interface PushSetting {
  /** Empty: not told. */
  incomingUrl: string
  outgoingUrl: string
  /** Requests and answers are kept. */
  log: boolean
  /** Phone lines and groups; undefined means all. */
  whitelist: string[] | undefined
}

export interface PushSettings {
  find(accountId: string): Promise<PushSetting | undefined>
  /** Whether the account has booked it and set an address for calls in this direction: for all of them, or for those of a phone line. */
  hasAddress(accountId: string, direction: 'in' | 'out'): Promise<boolean>
  save(accountId: string, setting: PushSetting): Promise<void>
}
