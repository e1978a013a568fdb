import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import type { Bus } from '#core/kernel/ports/bus.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { PeerNodes } from '#core/kernel/ports/neighbours.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { StoredTimeline } from '#core/kernel/ports/store/call/timelines.ts'
import { Tasks } from '#core/kernel/work/tasks.ts'
import { Noted } from './noted.ts'
import type { RemoteNotification } from './others-interest.ts'
import { LocalSubscribers } from './own-interest.ts'
import { entriesAfter } from './pieces.ts'
import { watchesCall, watchesFlow, type Watch, type Watchers } from './watchers.ts'

/** How often the store is looked at … */
const pollIntervalMs = 500
/** … where the others tell what happens, too: what a process that is gone left is told by nobody. */
const slowPollMs = 5_000
/** How long a process that told something may take to write what was before it. */
const writeTimeoutMs = 1_000
/** How far the clocks of two machines, and a transaction that takes its time, may be apart. */
const overlapMs = 15_000
/** Calls of one account about which something is known; the oldest are forgotten. */
const maxSeen = 10_000
/** Of a call that went on for a while when the watcher began: what may have been written since. */
const maxMissed = 100
/** They may be long, and meanwhile no other request is served. */
const piecesPerBatch = 8

interface Seen {
  sequence: number
  flowId: string | undefined
}

/** What one account's watchers know. */
interface Account {
  since: number
  seen: Map<string, Seen>
  /** By call: what others told and cannot be passed on before the store was looked at, because something before it is missing. */
  waiting: Map<string, RemoteNotification[]>
  /** The store has not been looked at since the first watcher came. */
  isNew: boolean
}

export interface OthersTimelinesDeps {
  store: Store
  clock: Clock
  owner: string
  bus: Bus
  neighbours: Pick<PeerNodes, 'others'>
  onError: (error: unknown) => void
}

/** Shows watchers here what happens in calls of other processes: as those tell it, and by reading what they write; only while there are watchers. */
export class RemoteTimelines {
  readonly #deps: OthersTimelinesDeps
  readonly #watchers: Watchers
  readonly #interest: LocalSubscribers | undefined
  readonly #tasks = new Tasks()
  #accounts = new Map<string, Account>()
  #cancelTimer: (() => void) | undefined
  /** When the store is looked at next. */
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

  /** There is a watcher from now on. */
  begin({ accountId }: Watch): void {
    if (!this.#accounts.has(accountId))
      this.#accounts.set(accountId, { since: this.#deps.clock.now(), seen: new Map(), waiting: new Map(), isNew: true })
    this.#lookWithin(this.#interest ? slowPollMs : pollIntervalMs)
    if (this.#interest) void this.#tasks.track(this.#ask(accountId, this.#interest))
  }

  /** What was noted elsewhere before the watchers began can be read. */
  ready(): Promise<void> {
    return this.#tasks.idle()
  }

  /** There is one watcher less. */
  end(): void {
    const watched = new Set(this.#watchers.accountIds)
    this.#accounts = new Map([...this.#accounts].filter(([accountId]) => watched.has(accountId)))
    this.#interest?.end()
  }

  /** Nothing is being looked for at this moment. */
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

  /** What is not in the store now was not kept, or will be told by its process in a moment. */
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
    // Meanwhile its process may have told some of them.
    const { sequence } = account.seen.get(row.callId) ?? known
    for (const entry of entries)
      if (entry.sequence > sequence || entry.sequence <= known.sequence)
        this.#watchers.notify(row, new Noted(entry), eventsFor(entry, known.sequence, account.since))
    const last = entries.at(-1)?.sequence ?? row.lastSequence
    account.seen.set(row.callId, { sequence: Math.max(sequence, last), flowId: row.flowId })
  }

  /** At least as much as may have been missed, if there is so much; the rest comes in the next round. */
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

/** Of a call that was there before the first watcher only what is new is shown. */
const firstSeen = ({ startedAt, lastSequence, flowId }: StoredTimeline, since: number): Seen => ({
  sequence: startedAt < since ? Math.max(0, lastSequence - maxMissed) : 0,
  flowId,
})

/** Whom an entry is shown. What happened just before a watcher began may have been written after it read what was before. */
const eventsFor = ({ sequence, at }: TimelineEntry, known: number, since: number): ((watch: Watch) => boolean) | undefined => {
  if (at < since) return watchesCall
  return sequence <= known ? watchesFlow : undefined
}
