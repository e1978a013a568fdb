import type { Bus, Clock, PeerNodes } from '#core/kernel/ports/platform.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import type { StoredTimeline } from '#core/kernel/ports/store/call.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { redactorFor } from './concealment.ts'
import { LateTimelineWriter } from './late-entries.ts'
import type { TimelineEvent, Noted } from './pieces.ts'
import { RemoteSubscribers } from './subscribers.ts'
import { RemoteTimelines } from './remote-timelines.ts'
import { TimelineWriter } from './timeline-writer.ts'
import { Timeline, type TimelineDeps } from './timeline.ts'
import { Watchers, watchesFlow, type Origin, type Watch } from './watchers.ts'

/** Milliseconds the timeline of an assistant's call stays open after its end, for delivery of the session's end. */
const lingerMs = 5_000

export interface LiveTimelinesDeps {
  store: Store
  clock: Clock
  /** One run of one process, see Leases. */
  owner: string
  /** False: entries are shown to watchers but not kept. */
  keeps: boolean
  /** Other nodes on the same database: their entries are shown to watchers here. */
  others?: { bus: Bus; peerNodes: Pick<PeerNodes, 'others'> }
  onError: (error: unknown) => void
}

/** Timelines of the calls on this node, and their watchers. Never blocks a call. */
export class LiveTimelines {
  readonly #deps: LiveTimelinesDeps
  readonly #running = new Map<string, Timeline>()
  readonly #lingering = new Map<Timeline, () => void>()
  readonly #watchers = new Watchers()
  readonly #writer: TimelineWriter
  readonly #late: LateTimelineWriter
  readonly #others: RemoteTimelines | undefined
  readonly #othersInterest: RemoteSubscribers | undefined
  readonly #each: TimelineDeps

  constructor(deps: LiveTimelinesDeps) {
    const { clock, owner, others } = deps
    this.#deps = deps
    this.#writer = new TimelineWriter(deps)
    this.#late = new LateTimelineWriter({ ...deps, onEvent: (origin, noted) => this.#notify(origin, noted) })
    if (others) this.#others = new RemoteTimelines({ ...deps, ...others }, this.#watchers)
    if (others && !others.bus.alone) this.#othersInterest = new RemoteSubscribers({ ...others, clock, owner, write: () => this.flush() })
    this.#each = {
      now: () => clock.now(),
      owner,
      onEvent: (timeline, noted) => this.#notify(timeline, noted),
      toWrite: (timeline, noted) => this.#writer.put(timeline, noted),
      dropped: (noted) => this.#writer.drop(noted),
      released: (timeline) => this.#linger(timeline),
    }
  }

  /** Shared by all that note entries about the call for the account. Each releases it at the end. */
  open(accountId: string, callId: string): Timeline {
    const key = keyOf(accountId, callId)
    const timeline = this.#running.get(key) ?? new Timeline(this.#each, { accountId, callId, kept: this.#deps.keeps })
    this.#running.set(key, timeline)
    this.#lingering.get(timeline)?.()
    this.#lingering.delete(timeline)
    return timeline.hold()
  }

  /** Stored timeline of a call taken over from another node. */
  async findBefore(accountId: string, callId: string): Promise<StoredTimeline | undefined> {
    const { store, keeps } = this.#deps
    return keeps ? store.read.timelines.find(accountId, callId) : undefined
  }

  /** Must run before the first `open` for such a call. */
  resume(before: StoredTimeline): void {
    const { accountId, callId } = before
    this.#running.set(keyOf(accountId, callId), new Timeline(this.#each, { accountId, callId, kept: true, before }))
  }

  /** Like `open`, for the assistant that has the call; the timeline belongs to the flow's account. */
  openFor({ id: flowId, settings }: Flow, accountId: string, callId: string): Timeline {
    const timeline = this.open(accountId, callId)
    const early = timeline.leadTo(flowId, settings.keepTimeline ?? true, redactorFor(settings))
    for (const noted of early) this.#notify(timeline, noted, watchesFlow)
    return timeline
  }

  /** For a call that may have ended, or may belong to another node. */
  note(accountId: string, callId: string, event: TimelineEvent): void {
    const running = this.#running.get(keyOf(accountId, callId))
    if (running) running.note(event)
    else if (this.#deps.keeps) this.#late.add({ accountId, callId, event, at: this.#deps.clock.now() }, () => this.#writer.flush())
  }

  isRunning(accountId: string, callId: string): boolean {
    return this.#running.has(keyOf(accountId, callId))
  }

  /** Returns the unsubscribe function. */
  watch(watch: Watch): () => void {
    const stop = this.#watchers.add(watch)
    this.#others?.begin(watch)
    return () => {
      stop()
      this.#others?.end()
    }
  }

  /** Resolves when all entries so far, here or on other nodes, are readable for watchers. */
  async written(): Promise<void> {
    await this.flush()
    await this.#others?.ready()
  }

  /** Resolves when all entries so far are written or have failed. */
  async flush(): Promise<void> {
    await this.#writer.flush()
    await this.#late.idle()
  }

  /** Like `flush`, and no poll for entries of other nodes is running. */
  async idle(): Promise<void> {
    await this.flush()
    await this.#others?.idle()
  }

  async close(): Promise<void> {
    await this.#others?.close()
    this.#othersInterest?.close()
    for (const cancel of this.#lingering.values()) cancel()
    this.#lingering.clear()
    for (const timeline of this.#running.values()) timeline.close()
    this.#running.clear()
    await this.#late.close()
    await this.#writer.close()
  }

  /** Notifies watchers here and on other nodes. */
  #notify(origin: Origin, noted: Noted, only?: typeof watchesFlow): void {
    this.#watchers.notify(origin, noted, only)
    this.#othersInterest?.notify(origin, noted, only !== undefined)
  }

  #linger(timeline: Timeline): void {
    const { accountId, callId } = timeline
    const isOfInterest = timeline.isKept || this.#watchers.has(accountId) || this.#othersInterest?.has(accountId, callId) === true
    if (timeline.flowId === undefined || !isOfInterest) return this.#end(timeline)
    const cancel = this.#deps.clock.after(lingerMs, () => this.#end(timeline))
    this.#lingering.set(timeline, cancel)
  }

  #end(timeline: Timeline): void {
    this.#lingering.delete(timeline)
    this.#running.delete(keyOf(timeline.accountId, timeline.callId))
    timeline.close()
  }
}

const keyOf = (accountId: string, callId: string): string => `${accountId}/${callId}`
