import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { StoredTimeline } from '#core/kernel/ports/store/call/timelines.ts'
import { Noted } from './noted.ts'
import { entriesAfter } from './pieces.ts'
import { whoWatchesCall, whoWatchesFlow, type Watch, type Watchers } from './watchers.ts'

const lookEveryMs = 500
/** How far the clocks of two machines, and a transaction that takes its time, may be apart. */
const overlapMs = 15_000
/** Calls of one account about which something is known; the oldest are forgotten. */
const mostSeen = 10_000
/** Of a call that went on for a while when the watcher began: what may have been written since. */
const mostMissed = 100
/** They may be long, and meanwhile no other request is served. */
const piecesAtOnce = 8

interface Seen {
  sequence: number
  flowId: string | undefined
}

/** What one account's watchers know. */
interface Account {
  since: number
  seen: Map<string, Seen>
}

export interface OthersTimelinesParts {
  store: Store
  clock: Clock
  owner: string
  onError: (error: unknown) => void
}

/** Shows watchers here what happens in calls of other processes, by reading what those write; only while there are watchers. */
export class OthersTimelines {
  readonly #parts: OthersTimelinesParts
  readonly #watchers: Watchers
  #accounts = new Map<string, Account>()
  #looking = false
  #cancelTimer: () => void = () => {}
  #underWay: Promise<void> = Promise.resolve()
  #closed = false

  constructor(parts: OthersTimelinesParts, watchers: Watchers) {
    this.#parts = parts
    this.#watchers = watchers
  }

  /** There is a watcher from now on. */
  look(): void {
    const now = this.#parts.clock.now()
    for (const accountId of this.#watchers.accountIds)
      if (!this.#accounts.has(accountId)) this.#accounts.set(accountId, { since: now, seen: new Map() })
    if (this.#looking || this.#closed) return
    this.#looking = true
    this.#cancelTimer = this.#parts.clock.after(lookEveryMs, () => {
      this.#underWay = this.#round()
    })
  }

  /** Nothing is being looked for at this moment. */
  idle(): Promise<void> {
    return this.#underWay
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#cancelTimer()
    await this.#underWay
  }

  async #round(): Promise<void> {
    const watched = new Set(this.#watchers.accountIds)
    this.#accounts = new Map([...this.#accounts].filter(([accountId]) => watched.has(accountId)))
    try {
      for (const [accountId, account] of this.#accounts) await this.#lookAt(accountId, account)
    } catch (error) {
      this.#parts.onError(error)
    }
    this.#looking = false
    if (this.#watchers.accountIds.length > 0) this.look()
  }

  async #lookAt(accountId: string, account: Account): Promise<void> {
    const { store, clock, owner } = this.#parts
    const changed = await store.read.timelines.listChanged(accountId, clock.now() - overlapMs, owner)
    for (const row of changed) await this.#follow(row, account)
    for (const callId of account.seen.keys()) if (account.seen.size > mostSeen) account.seen.delete(callId)
  }

  async #follow(row: StoredTimeline, account: Account): Promise<void> {
    const known = account.seen.get(row.callId) ?? firstSeen(row, account.since)
    if (row.lastSequence <= known.sequence) return
    const isFirstOfFlow = known.flowId === undefined && row.flowId !== undefined
    const entries = await this.#read(row, isFirstOfFlow ? 0 : known.sequence)
    for (const entry of entries) this.#watchers.tell(row, new Noted(entry), newsFor(entry, known.sequence, account.since))
    const last = entries.at(-1)?.sequence ?? row.lastSequence
    account.seen.set(row.callId, { sequence: Math.max(known.sequence, last), flowId: row.flowId })
  }

  /** At least as much as may have been missed, if there is so much; the rest comes in the next round. */
  async #read({ accountId, callId }: StoredTimeline, after: number): Promise<TimelineEntry[]> {
    const entries: TimelineEntry[] = []
    for (let [last, hasMore] = [after, true]; hasMore && entries.length < mostMissed;) {
      const pieces = await this.#parts.store.read.timelines.listPieces(accountId, callId, last, piecesAtOnce)
      for (const piece of pieces) entries.push(...entriesAfter(piece, last))
      last = pieces.at(-1)?.last ?? last
      hasMore = pieces.length === piecesAtOnce
    }
    return entries
  }
}

/** Of a call that was there before the first watcher only what is new is shown. */
const firstSeen = ({ startedAt, lastSequence, flowId }: StoredTimeline, since: number): Seen => ({
  sequence: startedAt < since ? Math.max(0, lastSequence - mostMissed) : 0,
  flowId,
})

/** Whom an entry is shown. What happened just before a watcher began may have been written after it read what was before. */
const newsFor = ({ sequence, at }: TimelineEntry, known: number, since: number): ((watch: Watch) => boolean) | undefined => {
  if (at < since) return whoWatchesCall
  return sequence <= known ? whoWatchesFlow : undefined
}
