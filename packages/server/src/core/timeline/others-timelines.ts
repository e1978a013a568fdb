import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store/index.ts'
import type { StoredTimeline } from '../ports/store/timelines.ts'
import { Noted } from './noted.ts'
import type { Watchers } from './watchers.ts'

const lookEveryMs = 500
/** How far the clocks of two machines, and a transaction that takes its time, may be apart. */
const overlapMs = 15_000
const piecesAtOnce = 50
/** Calls of one account about which something is known; the oldest are forgotten. */
const mostSeen = 10_000
/** Of a call that went on for a while when somebody began to watch: what may have been written since. */
const mostMissed = 100

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

/** Tells those who watch here what happens in calls that other processes have, by looking at what they write; only while somebody watches. */
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

  /** Somebody watches from now on. */
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

  /** Of a call that was there before anybody watched only what is new is told. */
  async #follow(row: StoredTimeline, { since, seen }: Account): Promise<void> {
    const known = seen.get(row.callId) ?? {
      sequence: row.startedAt < since ? Math.max(0, row.lastSequence - mostMissed) : 0,
      flowId: undefined,
    }
    if (row.lastSequence <= known.sequence) return
    const isFirstOfFlow = known.flowId === undefined && row.flowId !== undefined
    const entries = await this.#read(row, isFirstOfFlow ? 0 : known.sequence)
    for (const entry of entries) if (entry.at >= since) this.#tell(row, entry, known.sequence)
    seen.set(row.callId, { sequence: entries.at(-1)?.sequence ?? row.lastSequence, flowId: row.flowId })
  }

  #tell(row: StoredTimeline, entry: TimelineEntry, known: number): void {
    this.#watchers.tell(row, new Noted(entry), { early: entry.sequence <= known })
  }

  async #read({ accountId, callId }: StoredTimeline, after: number): Promise<TimelineEntry[]> {
    const pieces = await this.#parts.store.read.timelines.listPieces(accountId, callId, after, piecesAtOnce)
    return pieces.flatMap(({ entries }) => JSON.parse(entries) as TimelineEntry[]).filter(({ sequence }) => sequence > after)
  }
}
