import type { Concealed } from '#core/kernel/ports/assistant.ts'
import type { StoredTimeline } from '#core/kernel/ports/store/call.ts'
import type { Redactor } from '#core/kernel/redaction/redactor.ts'
import { Concealment, redactEvent } from './concealment.ts'
import { Noted, type TimelineEvent } from './pieces.ts'

/** Entries from before the flow was known that are shown to watchers of that flow. */
const maxEarly = 8
/** Maximum per call. Endpoints decide how much they send; hours of talk need far less. */
const maxRetainedBytes = 64 * 1024 * 1024

const tooMuch: TimelineEvent = { kind: 'problem', message: 'So much has happened in this call that from here on only its end is kept.' }

/** Other nodes find recent changes by the time in the row, which is not updated with every entry. */
const touchIntervalMs = 5_000

/** Maximum entries a dead node may have sent without writing them. */
const maxUnwritten = 100

interface NewTimeline {
  accountId: string
  callId: string
  kept: boolean
  before?: StoredTimeline | undefined
}

export interface TimelineDeps {
  now: () => number
  owner: string
  /** Notifies watchers. */
  onEvent: (timeline: Timeline, noted: Noted) => void
  /** Queues for writing. False: the queue is full and the entry is omitted. */
  toWrite: (timeline: Timeline, noted?: Noted) => boolean
  /** Queued entries that will not be written. */
  dropped: (noted: readonly Noted[]) => void
  /** Called when no holder is left. */
  released: (timeline: Timeline) => void
}

type CallFacts = Pick<StoredTimeline, 'source' | 'target' | 'endReason' | 'trunkId'>

/** One write of a timeline. */
export interface Draft {
  timeline: Timeline
  row: StoredTimeline
  isNew: boolean
  rowChanged: boolean
  noted: readonly Noted[]
  /** Removes the timeline instead. */
  erase: boolean
}

/** Events of a running call as one account sees them. Noting is cheap and never fails. */
export class Timeline {
  readonly accountId: string
  readonly callId: string
  readonly #deps: TimelineDeps
  readonly #startedAt: number
  #userIds: () => readonly string[] = () => []
  #extensions: () => readonly string[] = () => []
  #flowId: string | undefined
  #redactor: Redactor | undefined
  readonly #concealment = new Concealment()
  #kept: boolean
  #sequence = 0
  #early: Noted[] = []
  #pending: Noted[] = []
  #keptBytes = 0
  #isFull = false
  #state: 'unwritten' | 'written' | 'erased' = 'unwritten'
  #holders = 0
  readonly #facts: CallFacts = { source: undefined, target: undefined, endReason: undefined, trunkId: undefined }
  #endedAt: number | undefined
  #closedAt: number | undefined
  /** Written row as far as other nodes need it, and its time. */
  #writtenRow = { says: '', at: -Infinity }

  /** `before`: timeline written by the previous node. */
  constructor(deps: TimelineDeps, { accountId, callId, kept, before }: NewTimeline) {
    this.#deps = deps
    this.accountId = accountId
    this.callId = callId
    this.#kept = kept
    this.#startedAt = before?.startedAt ?? deps.now()
    if (!before) return
    this.#flowId = before.flowId
    this.#facts.trunkId = before.trunkId
    this.#sequence = before.lastSequence + maxUnwritten
    this.#state = 'written'
  }

  get flowId(): string | undefined {
    return this.#flowId
  }

  get isKept(): boolean {
    return this.#kept
  }

  /** Users with access now, besides administrators. */
  get userIds(): readonly string[] {
    return this.#userIds()
  }

  /** Adds a holder that notes events. */
  hold(): this {
    this.#holders += 1
    return this
  }

  release(): void {
    this.#holders -= 1
    if (this.#holders === 0) this.#deps.released(this)
  }

  /** Extensions of the account that took part, for users whose role has a scope. */
  get extensions(): readonly string[] {
    return this.#extensions()
  }

  seenBy(userIds: () => readonly string[], extensions: () => readonly string[] = () => []): void {
    this.#userIds = userIds
    this.#extensions = extensions
  }

  /** An assistant has the call from now on. `keep` false: events are shown but not kept. `redactor`: its matches are neither shown nor kept. */
  leadTo(flowId: string, keep: boolean, redactor?: Redactor): Noted[] {
    this.#flowId = flowId
    this.#redactor = redactor
    if (!keep && this.#kept) {
      this.#kept = false
      this.#deps.dropped(this.#pending.splice(0))
      if (this.#state === 'written') this.#deps.toWrite(this)
    }
    return this.#early.splice(0)
  }

  /** A recording is paused: until another is named, this is neither told nor kept. */
  conceal(what: Concealed | undefined): void {
    this.#concealment.begin(what)
  }

  get concealed(): Concealed | undefined {
    return this.#concealment.now
  }

  note(event: TimelineEvent, at = this.#deps.now()): void {
    this.#add(event, at)
    if (this.#isFull || this.#keptBytes <= maxRetainedBytes) return
    this.#add(tooMuch, at)
    this.#isFull = true
  }

  #add(notified: TimelineEvent, at: number): void {
    const shown = this.#concealment.apply(notified)
    const event = this.#redactor ? redactEvent(shown, this.#redactor) : shown
    const place = { callId: this.callId, sequence: ++this.#sequence, at: Math.round(at) }
    this.#remember(event)
    const flow = this.#flowId === undefined ? undefined : { flowId: this.#flowId }
    const noted = new Noted({ ...place, ...flow, ...event })
    if (this.#flowId === undefined && this.#early.length < maxEarly) this.#early.push(noted)
    if (this.#isToBeKept(noted) && this.#deps.toWrite(this, noted)) {
      this.#pending.push(noted)
      this.#keptBytes += noted.bytes
    }
    this.#deps.onEvent(this, noted)
  }

  /** Remembers the search fields of the call. */
  #remember(event: TimelineEvent): void {
    if (event.kind !== 'call') return
    if (event.state === 'started') Object.assign(this.#facts, { source: event.from, target: event.to })
    if (event.state === 'ended') this.#facts.endReason = event.reason
  }

  #isToBeKept({ passing: transient, entry: { kind } }: Noted): boolean {
    return this.#kept && !transient && (!this.#isFull || kind === 'call')
  }

  /** One of its parties is reached over this trunk. */
  over(trunkId: string): void {
    this.#facts.trunkId = trunkId
  }

  /** The call ends for this account: the users of its parties keep access until the history entry exists. */
  end(): void {
    const [users, extensions] = [[...this.userIds], [...this.extensions]]
    this.seenBy(
      () => users,
      () => extensions,
    )
    this.#endedAt = Math.round(this.#deps.now())
  }

  /** The call returns to the account. */
  resume(): void {
    this.#endedAt = undefined
  }

  /** Another node resumes the call: unwritten entries are dropped. */
  abandon(): void {
    this.#state = 'erased'
    this.#kept = false
    this.#deps.dropped(this.#pending.splice(0))
  }

  /** No more entries come from this node. */
  close(): void {
    this.#closedAt = Math.round(this.#deps.now())
    this.#endedAt ??= this.#closedAt
    if (this.#kept || this.#state === 'written') this.#deps.toWrite(this)
  }

  /** Entries to write now. */
  take(): Draft | undefined {
    const noted = this.#pending.splice(0)
    const isNew = this.#state === 'unwritten'
    if (this.#state === 'erased' || (isNew && noted.length === 0)) return undefined
    const row = this.#row()
    const { says, at } = this.#writtenRow
    const rowChanged = says !== saying(row) || row.changedAt - at >= touchIntervalMs
    return { timeline: this, row, isNew, rowChanged, noted, erase: !this.#kept }
  }

  /** `found` false: erased since. */
  written({ erase, row, rowChanged }: Draft, found: boolean): void {
    if (rowChanged) this.#writtenRow = { says: saying(row), at: row.changedAt }
    this.#state = erase || !found ? 'erased' : 'written'
    if (!this.#kept && this.#state === 'written') this.#deps.toWrite(this) // keeping was disabled during the write
  }

  notWritten({ noted }: Draft): void {
    if (this.#kept) this.#pending.unshift(...noted)
    else this.#deps.dropped(noted)
  }

  #row(): StoredTimeline {
    const { accountId, callId } = this
    return {
      accountId,
      callId,
      flowId: this.#flowId,
      userIds: [...new Set(this.userIds)],
      owner: this.#deps.owner,
      startedAt: Math.round(this.#startedAt),
      changedAt: Math.round(this.#deps.now()),
      lastSequence: this.#sequence,
      endedAt: this.#endedAt,
      closedAt: this.#closedAt,
      ...this.#facts,
    }
  }
}

const saying = ({ flowId, userIds, endedAt, closedAt, trunkId }: StoredTimeline): string =>
  JSON.stringify([flowId, userIds, endedAt, closedAt, trunkId])
