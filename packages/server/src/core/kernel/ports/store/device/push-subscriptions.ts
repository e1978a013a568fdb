/** A browser whose user wants to be notified of calls. */
export interface PushSubscription {
  /** A digest of its address. */
  id: string
  endpointSealed: string
  keysSealed: string
  /** Of what it shows. */
  language: string
}

export interface PushSubscriptions {
  /** Instead of one with the same id. */
  put(accountId: string, userId: string, subscription: PushSubscription, at: number): Promise<void>
  list(accountId: string, userId: string): Promise<PushSubscription[]>
  /** False when there was none. */
  remove(accountId: string, userId: string, id: string): Promise<boolean>
  removeOfUser(accountId: string, userId: string): Promise<void>
  removeOfAccount(accountId: string): Promise<void>
}
