export type QueueName = 'outbox' | 'job'

export interface DueEntry {
  id: string
  kind: string
  payload: unknown
  attempts: number
}

/** Who has an entry from the moment it is written: until then by the clock on the wall, and by the time that its worker goes by. */
export interface FirstLease {
  until: number
  dueAt: number
}

/** What waits of one kind, in the whole installation. */
export interface QueueFigures {
  kind: string
  pending: number
  /** When the oldest was written, where that is known. */
  oldestAt: number | undefined
  /** When the next is, or was, due; one that is being done is due when its lease ends. */
  dueAt: number | undefined
  /** Given up, and still kept. */
  dead: number
}

/** Work that waits in a table for its time. Taking an entry leases it, so that of several processes only one does it. */
export interface DueQueue {
  readonly name: QueueName
  /**
   * Up to `limit` entries of these kinds that are due and not leased; they stay ours for `leaseMs`. Counts the attempt. `aheadMs`: how far
   * `now` is ahead of the clock on the wall, by which leases go: putting time forward takes no leased work from a process.
   */
  lease(kinds: readonly string[], now: number, limit: number, leaseMs: number, aheadMs?: number): Promise<DueEntry[]>
  done(...ids: string[]): Promise<void>
  retry(id: string, dueAt: number, error: string): Promise<void>
  /** Like retry, but what was leased does not count as an attempt. */
  postpone(id: string, dueAt: number): Promise<void>
  /** No further try makes sense. */
  giveUp(id: string, error: string): Promise<void>
  /** When the next entry is due or its lease runs out. */
  nextDue(kinds: readonly string[], aheadMs?: number): Promise<number | undefined>
  /** When the next entry is due that is not leased; `now` by the clock on the wall. */
  nextWaiting(kinds: readonly string[], now: number): Promise<number | undefined>
  figures(): Promise<QueueFigures[]>
}

/** Whose next entry is asked for. */
export interface DueQuestion {
  queue: QueueName
  kinds: readonly string[]
  aheadMs: number
}

/** What `nextDue` of several says, in one statement. */
export interface DueTimes {
  next(questions: readonly DueQuestion[]): Promise<(number | undefined)[]>
}
