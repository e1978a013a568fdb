export type QueueName = 'outbox' | 'job'

export interface DueEntry {
  id: string
  kind: string
  payload: unknown
  attempts: number
}

export interface LeasedEntry extends DueEntry {
  /** Attempts whose process died or stopped before reporting a result. */
  lost: number
}

/** Lease taken when the entry is written: `until` by the wall clock, `dueAt` by the worker's clock. */
export interface FirstLease {
  until: number
  dueAt: number
}

/** Pending entries of one kind in the whole installation. */
export interface QueueFigures {
  kind: string
  pending: number
  /** Creation time of the oldest, if known. */
  oldestAt: number | undefined
  /** Time the next is or was due; a leased entry is due when its lease ends. */
  dueAt: number | undefined
  /** Given up or parked, and still stored. */
  dead: number
}

/** Work that waits in a table for its time. Entries are leased, so that only one of several processes runs each. */
export interface DueQueue {
  readonly name: QueueName
  /**
   * Leases up to `limit` due and unleased entries of these kinds for `leaseMs`. Counts the attempt, and counts the previous one as lost
   * if its lease expired. `aheadMs`: offset of `now` from the wall clock, which leases use: putting time forward takes no leased work
   * from a process.
   */
  lease(kinds: readonly string[], now: number, limit: number, leaseMs: number, aheadMs?: number): Promise<LeasedEntry[]>
  /** Renews the leases of running entries. */
  renew(ids: readonly string[], now: number, leaseMs: number, aheadMs?: number): Promise<void>
  done(...ids: string[]): Promise<void>
  retry(id: string, dueAt: number, error: string): Promise<void>
  /** Like `retry`, but the lease does not count as an attempt. */
  postpone(id: string, dueAt: number): Promise<void>
  /** Counts no lost attempt of it, because its process did not die. */
  forgive(id: string): Promise<void>
  /** Marks it as permanently failed. */
  giveUp(id: string, error: string): Promise<void>
  /** Excludes it from leases until an operator revives it. */
  park(id: string, now: number, error: string): Promise<void>
  /** Time the next entry is due or its lease expires. */
  nextDue(kinds: readonly string[], aheadMs?: number): Promise<number | undefined>
  /** Time the next unleased entry is due; `now` by the wall clock. */
  nextWaiting(kinds: readonly string[], now: number): Promise<number | undefined>
  figures(): Promise<QueueFigures[]>
}

/** Query for the next due entry. */
export interface DueQuestion {
  queue: QueueName
  kinds: readonly string[]
  aheadMs: number
}

/** Runs `nextDue` for several queues in one statement. */
export interface DueTimes {
  next(questions: readonly DueQuestion[]): Promise<(number | undefined)[]>
}

export interface OutboxMessage {
  id: string
  accountId?: string
  /** Selects the deliverer: `mail`, `carrier`, … */
  kind: string
  payload: unknown
  at: number
}

interface DeadMessage {
  id: string
  accountId: string | undefined
  kind: string
  attempts: number
  lastError: string
  createdAt: number
}

/** With its payload, for its owner. */
export interface DeadLetter extends DueEntry {
  lastError: string
  createdAt: number
}

/** External notifications, written in the same transaction as the fact they report. */
export interface Outbox extends DueQueue {
  /** `lease`: the writer delivers it immediately, which is its first attempt. */
  put(message: OutboxMessage, lease?: FirstLease): Promise<void>
  /** False if it exists; then it is a no-op. */
  putOnce(message: OutboxMessage, lease?: FirstLease): Promise<boolean>
  /** Time of the next try, 0 during a try; undefined if it was sent, given up or never existed. */
  waitsUntil(id: string): Promise<number | undefined>
  listDead(limit: number, offset?: number): Promise<DeadMessage[]>
  /** Dead letters of one account and kind, newest first. */
  listDeadOf(accountId: string, kind: string, page: { offset: number; limit: number }): Promise<DeadLetter[]>
  countDeadOf(accountId: string, kind: string): Promise<number>
  findDeadOf(accountId: string, kind: string, id: string): Promise<DeadLetter | undefined>
  /** False if no such dead message exists. */
  revive(id: string, at: number): Promise<boolean>
  /** Removes dead letters of one account and kind written before. */
  removeDeadOf(accountId: string, kind: string, before: number): Promise<void>
  /** Removes messages that were sent or given up, and written before `at`. */
  removeEndedBefore(at: number): Promise<number>
}

interface ParkedJob {
  id: string
  kind: string
  attempts: number
  parkedAt: number
}

/** Scheduled internal work: deadlines, expiries, clean-ups. */
export interface Jobs extends DueQueue {
  /** Reschedules an existing job with this id. */
  schedule(job: { id: string; kind: string; payload: unknown; dueAt: number }): Promise<void>
  cancel(id: string): Promise<void>
  /** Jobs that crashed their process, first parked first. */
  listParked(limit: number, offset?: number): Promise<ParkedJob[]>
  /** Makes it due at that time with no attempts counted. False if no such job is parked. */
  revive(id: string, at: number): Promise<boolean>
}

/** Proves that one run of a process is alive and owns what is stored under its name. */
export interface Lease {
  owner: string
  /** Expiry; it is renewed before, and afterwards its work is free for takeover. */
  until: number
  /** Milliseconds without a renewal that other nodes have to await before they take calls of a silent owner. Default 0. */
  doubtMs?: number
}

export interface Leases {
  renew(lease: Lease): Promise<void>
  find(owner: string): Promise<Lease | undefined>
  listOthers(owner: string): Promise<Lease[]>
  /** False if it was renewed since; otherwise it cannot be renewed before the transaction ends. */
  lock(lease: Lease): Promise<boolean>
  /** No-op if it was renewed since, or if a call or a fax is left under its name. */
  remove(lease: Lease): Promise<void>
}

export interface StoredRequest {
  operation: string
  bodyHash: string
  /** Id of the request's effect: a repetition after a crash finds it again. */
  effectId: string
  /** Time it was begun or taken over. */
  at: number
}

export interface StoredReply extends StoredRequest {
  /** Undefined while the first request is running. */
  reply: string | undefined
}

/** A request can only be finished or forgotten with its own start time: if presumed dead, it may have been taken over. */
export interface Idempotency {
  find(accountId: string, key: string): Promise<StoredReply | undefined>
  /** False if the key exists. */
  begin(accountId: string, key: string, request: StoredRequest): Promise<boolean>
  /** Continues a request that died; false if another one was faster. */
  takeOver(accountId: string, key: string, times: { from: number; at: number }): Promise<boolean>
  finish(accountId: string, key: string, begun: { at: number; reply: string }): Promise<void>
  forget(accountId: string, key: string, begun: { at: number }): Promise<void>
  removeOlderThan(at: number): Promise<number>
}

/** File that is complete on one machine and not yet in the shared store. */
interface Upload {
  key: string
  /** Machine that has it, for operators. */
  place: string
  createdAt: number
}

export interface Uploads {
  /** No-op if it exists. */
  add(upload: Upload): Promise<void>
  find(key: string): Promise<(Upload & { erased: boolean }) | undefined>
  /** The machine that has it deletes it instead of uploading. No-op if no machine has it. */
  erase(key: string): Promise<void>
  /** Called after the upload or deletion. True if it was erased in the meantime. */
  remove(key: string): Promise<boolean>
}
