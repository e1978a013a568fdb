export interface Notification {
  id: number
  type: 'VOICEMAIL' | 'FAX' | 'CALL' | 'SMS'
  endpointId: string
  via: 'EMAIL' | 'SMS'
  /** An e-mail address, or E.164. */
  recipient: string
  direction: 'INCOMING' | 'OUTGOING' | 'MISSED_INCOMING' | 'ALL'
}

export interface Notifications {
  list(accountId: string, userId: string): Promise<Notification[]>
  /** All notifications that users want about this extension. */
  listByEndpoint(accountId: string, endpointId: string): Promise<Notification[]>
  insert(accountId: string, userId: string, notification: Omit<Notification, 'id'>): Promise<number>
  remove(accountId: string, userId: string, id: number): Promise<boolean>
  /** All of this user's, or those about these extensions. */
  removeByUser(accountId: string, userId: string, endpointIds?: readonly string[]): Promise<void>
  /** The extension is gone. */
  removeByEndpoint(accountId: string, endpointId: string): Promise<void>
}
