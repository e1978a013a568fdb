/** A phone that watches something: so that it is told again after a restart, instead of when it asks the next time. */
export interface BlfSubscription {
  id: string
  accountId: string
  deviceId: string
  kind: 'messages' | 'calls'
  /** As the phone calls it. */
  name: string
  /** How to tell it. Only the telephone side reads it; it can be written as JSON. */
  way: Readonly<Record<string, unknown>>
  /** The process that phones know by this address: only it can notify them. */
  place: string
  expiresAt: number
}

export interface BlfSubscriptions {
  /** Instead of one with the same id. */
  put(watch: BlfSubscription): Promise<void>
  remove(accountId: string, id: string): Promise<void>
  /** Those that were promised at this place and are not over. */
  listAt(place: string, now: number): Promise<BlfSubscription[]>
  removeExpired(now: number): Promise<void>
}
