import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import type { Bus, Clock, PeerNodes } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { StoredTimeline } from '#core/kernel/ports/store/call.ts'
import { Tasks } from '#core/kernel/work/worker.ts'
import { Noted, entriesAfter } from './pieces.ts'
import { type RemoteNotification, LocalSubscribers } from './subscribers.ts'
import { watchesCall, watchesFlow, type Watch, type Watchers } from './watchers.ts'

/** Milliseconds between polls of the store without a bus connection. */
const pollIntervalMs = 500
/** Milliseconds between polls while other nodes send entries; covers what a dead node left in the store. */
const slowPollMs = 5_000
/** Milliseconds a node may take to write entries before the one it sent. */
const writeTimeoutMs = 1_000
/** Allowed clock skew between two machines plus the duration of a slow transaction. */
const overlapMs = 15_000
/** Maximum tracked calls per account; the oldest are dropped. */
const maxSeen = 10_000
/** Maximum entries to read back for a call that was running when the watcher began. */
const maxMissed = 100
/** Pieces may be long, and parsing them blocks the event loop. */
const piecesPerBatch = 8

interface Seen {
  sequence: number
  flowId: string | undefined
}

/** State of one account's watchers. */
interface Account {
  since: number
  seen: Map<string, Seen>
  /** Entries received but not yet shown, keyed by call, because earlier ones are missing until the next poll. */
  waiting: Map<string, RemoteNotification[]>
  /** The store was not polled since the first watcher came. */
  isNew: boolean
}

interface OthersTimelinesDeps {
  store: Store
  clock: Clock
  owner: string
  bus: Bus
  peerNodes: Pick<PeerNodes, 'others'>
  onError: (error: unknown) => void
}

/** Shows entries of other nodes to local watchers: received over the bus and read from the store; only while there are watchers. */
export class RemoteTimelines {
  readonly #deps: OthersTimelinesDeps
  readonly #watchers: Watchers
  readonly #interest: LocalSubscribers | undefined
  readonly #tasks = new Tasks()
  #accounts = new Map<string, Account>()
  #cancelTimer: (() => void) | undefined
  /** Time of the next poll. */
  #dueMs = Infinity
  #looking: Promise<void> = Promise.resolve()
  #leaveBus: () => void = () => {}
  #closed = false

  constructor(deps: OthersTimelinesDeps, watchers: Watchers) {
    this.#deps = deps
    this.#watchers = watchers
    if (deps.bus.alone) return
    this.#interest = new LocalSubscribers(deps, watchers, (notified) => this.#hear(notified))
    this.#leaveBus = deps.bus.onConnection(() => {
      if (watchers.accountIds.length > 0) this.#lookWithin(pollIntervalMs)
    })
  }

  /** Adds a watcher. */
  begin({ accountId }: Watch): void {
    if (!this.#accounts.has(accountId))
      this.#accounts.set(accountId, { since: this.#deps.clock.now(), seen: new Map(), waiting: new Map(), isNew: true })
    this.#lookWithin(this.#interest ? slowPollMs : pollIntervalMs)
    if (this.#interest) void this.#tasks.track(this.#ask(accountId, this.#interest))
  }

  /** Resolves when entries noted on other nodes before the watchers began are readable. */
  ready(): Promise<void> {
    return this.#tasks.idle()
  }

  /** A watcher left. */
  end(): void {
    const watched = new Set(this.#watchers.accountIds)
    this.#accounts = new Map([...this.#accounts].filter(([accountId]) => watched.has(accountId)))
    this.#interest?.end()
  }

  /** Resolves when no poll is running. */
  async idle(): Promise<void> {
    await this.#tasks.idle()
    await this.#looking
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer?.()
    this.#leaveBus()
    this.#interest?.close()
    await this.idle()
  }

  async #ask(accountId: string, interest: LocalSubscribers): Promise<void> {
    await interest.begin().catch(this.#deps.onError)
    if (this.#accounts.get(accountId)?.isNew) this.#pollNow()
  }

  #hear(notified: RemoteNotification): void {
    const { origin, sequence, entry, early } = notified
    const account = this.#accounts.get(origin.accountId)
    if (!account) return
    const known = account.seen.get(origin.callId)
    if (early) return this.#emitEarly(notified, known)
    if (known && sequence <= known.sequence) return
    const isNext = !account.isNew && !account.waiting.has(origin.callId) && entry && (!known || sequence === known.sequence + 1)
    if (isNext) return this.#notify(account, notified)
    account.waiting.set(origin.callId, [...(account.waiting.get(origin.callId) ?? []), notified])
    if (!account.isNew) this.#lookWithin(writeTimeoutMs)
  }

  #emitEarly({ origin, entry }: RemoteNotification, known: Seen | undefined): void {
    if (known) known.flowId = origin.flowId
    if (entry) this.#watchers.notify(origin, new Noted(entry), watchesFlow)
  }

  #notify({ seen }: Account, { origin, sequence, entry }: RemoteNotification): void {
    seen.set(origin.callId, { sequence, flowId: origin.flowId })
    if (entry) this.#watchers.notify(origin, new Noted(entry))
  }

  #lookWithin(ms: number): void {
    const dueMs = this.#deps.clock.elapsed() + ms
    if (this.#closed || dueMs >= this.#dueMs) return
    this.#cancelTimer?.()
    this.#dueMs = dueMs
    this.#cancelTimer = this.#deps.clock.after(ms, () => this.#pollNow())
  }

  #pollNow(): void {
    this.#cancelTimer?.()
    this.#dueMs = Infinity
    if (!this.#closed) this.#looking = this.#looking.then(() => this.#round())
  }

  async #round(): Promise<void> {
    try {
      for (const [accountId, account] of this.#accounts) await this.#lookAt(accountId, account)
    } catch (error) {
      this.#deps.onError(error)
    }
    if (this.#watchers.accountIds.length > 0) this.#lookWithin(this.#hearsOthers ? slowPollMs : pollIntervalMs)
  }

  get #hearsOthers(): boolean {
    return this.#interest !== undefined && this.#deps.bus.connected
  }

  async #lookAt(accountId: string, account: Account): Promise<void> {
    const { store, clock, owner } = this.#deps
    const changed = await store.read.timelines.listChanged(accountId, clock.now() - overlapMs, owner)
    for (const row of changed) await this.#follow(row, account)
    account.isNew = false
    for (const callId of account.waiting.keys()) this.#release(account, callId)
    for (const callId of account.seen.keys()) if (account.seen.size > maxSeen) account.seen.delete(callId)
  }

  /** Entries not in the store by now were not kept, or arrive from their node shortly. */
  #release(account: Account, callId: string): void {
    const waiting = account.waiting.get(callId) ?? []
    account.waiting.delete(callId)
    const missing = waiting.filter(({ sequence }) => sequence > (account.seen.get(callId)?.sequence ?? 0))
    for (const notified of missing.toSorted((a, b) => a.sequence - b.sequence)) this.#notify(account, notified)
  }

  async #follow(row: StoredTimeline, account: Account): Promise<void> {
    const known = account.seen.get(row.callId) ?? firstSeen(row, account.since)
    if (row.lastSequence <= known.sequence) return
    const isFirstOfFlow = known.flowId === undefined && row.flowId !== undefined
    const entries = await this.#read(row, isFirstOfFlow ? 0 : known.sequence)
    // Its node may have sent some of them during the read.
    const { sequence } = account.seen.get(row.callId) ?? known
    for (const entry of entries)
      if (entry.sequence > sequence || entry.sequence <= known.sequence)
        this.#watchers.notify(row, new Noted(entry), eventsFor(entry, known.sequence, account.since))
    const last = entries.at(-1)?.sequence ?? row.lastSequence
    account.seen.set(row.callId, { sequence: Math.max(sequence, last), flowId: row.flowId })
  }

  /** At least as many entries as may have been missed; the rest follows in the next round. */
  async #read({ accountId, callId }: StoredTimeline, after: number): Promise<TimelineEntry[]> {
    const entries: TimelineEntry[] = []
    for (let [last, hasMore] = [after, true]; hasMore && entries.length < maxMissed;) {
      const pieces = await this.#deps.store.read.timelines.listPieces(accountId, callId, last, piecesPerBatch)
      for (const piece of pieces) entries.push(...entriesAfter(piece, last))
      last = pieces.at(-1)?.last ?? last
      hasMore = pieces.length === piecesPerBatch
    }
    return entries
  }
}

/** For a call from before the first watcher, only new entries are shown. */
const firstSeen = ({ startedAt, lastSequence, flowId }: StoredTimeline, since: number): Seen => ({
  sequence: startedAt < since ? Math.max(0, lastSequence - maxMissed) : 0,
  flowId,
})

/** Selects the watchers for an entry. An entry from just before a watcher began may have been written after it read the store. */
const eventsFor = ({ sequence, at }: TimelineEntry, known: number, since: number): ((watch: Watch) => boolean) | undefined => {
  if (at < since) return watchesCall
  return sequence <= known ? watchesFlow : undefined
}
