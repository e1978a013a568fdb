/** What is known of the timeline of one call as one account sees it. */
export interface StoredTimeline {
  accountId: string
  callId: string
  /** The assistant that has, or had, the call. */
  flowId: string | undefined
  /** Who may look at it while the call lasts, besides administrators; afterwards the history says that. */
  userIds: readonly string[]
  /** Who writes it: one run of one process, see Leases. */
  owner: string
  startedAt: number
  /** When it was written for the last time, to within a few seconds. */
  changedAt: number
  /** Of its last entry. */
  lastSequence: number
  /** When the call was over, at least for this account. */
  endedAt: number | undefined
  /** Who called whom, as the account sees it; undefined when another process noted that. */
  source?: string | undefined
  target?: string | undefined
  /** Why it ended, as in EndReason. */
  endReason?: string | undefined
  /** Over which it came or went, the last one if there were several. */
  trunkId?: string | undefined
  /** Undefined as long as its owner may add something at any moment. */
  closedAt: number | undefined
}

/** Entries that were written at once; more than one row for each would only cost. */
export interface TimelinePiece {
  first: number
  last: number
  /** A JSON list of them. */
  entries: string
}

/** What is new of one timeline. */
export interface TimelineChange {
  row: StoredTimeline
  isNew: boolean
  /** Its row says something else now; pieces alone are added without touching it. */
  rowChanged: boolean
  pieces: readonly TimelinePiece[]
}

/** The timelines of calls. They hold spoken words. */
export interface Timelines {
  /** Of many at once. False for each that was erased, or that another process goes on with: then nothing is added. */
  write(changes: readonly TimelineChange[]): Promise<boolean[]>
  /** Of these calls: another process goes on with them. */
  claim(callIds: readonly string[], to: string): Promise<void>
  find(accountId: string, callId: string): Promise<StoredTimeline | undefined>
  /** The same, and locks it until the transaction ends. */
  lock(accountId: string, callId: string): Promise<StoredTimeline | undefined>
  /** Those with something after this sequence, in order. */
  listPieces(accountId: string, callId: string, after: number, limit: number): Promise<TimelinePiece[]>
  /** Of one account, by other owners: what was written since then. */
  listChanged(accountId: string, since: number, exceptOwner: string): Promise<StoredTimeline[]>
  listOpenOf(owner: string, limit: number): Promise<StoredTimeline[]>
  remove(accountId: string, callId: string): Promise<boolean>
  /** Of an account that is closed. Gives how many there were. */
  removeOf(accountId: string, limit: number): Promise<number>
  /** Of all accounts: those that began before. */
  removeBefore(at: number, limit: number): Promise<number>
}
