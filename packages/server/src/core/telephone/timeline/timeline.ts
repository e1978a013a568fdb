import type { StoredTimeline } from '#core/kernel/ports/store/call/timelines.ts'
import type { Redactor } from '#core/kernel/redaction/redactor.ts'
import { Noted, type TimelineEvent } from './noted.ts'
import { redactEvent } from './redact-happening.ts'

/** How many entries from before the flow of the call is known can be shown to watchers of that flow. */
const maxEarly = 8
/** Of one call. Endpoints decide how much they say; hours of talking are far less. */
const maxRetainedBytes = 64 * 1024 * 1024

const tooMuch: TimelineEvent = { kind: 'problem', message: 'So much has happened in this call that from here on only its end is kept.' }

/** Others find what was written lately by the time in its row, which is not written anew with every entry. */
const touchIntervalMs = 5_000

/** How many entries a process may have told that it did not come to write. */
const maxUnwritten = 100

export interface NewTimeline {
  accountId: string
  callId: string
  kept: boolean
  before?: StoredTimeline | undefined
}

export interface TimelineDeps {
  now: () => number
  owner: string
  /** Something is to be told … */
  onEvent: (timeline: Timeline, noted: Noted) => void
  /** … or to be written. False: so much waits that this has to be left out. */
  toWrite: (timeline: Timeline, noted?: Noted) => boolean
  /** What was to be written is not. */
  dropped: (noted: readonly Noted[]) => void
  /** Nothing is noted any more. */
  released: (timeline: Timeline) => void
}

type CallFacts = Pick<StoredTimeline, 'source' | 'target' | 'endReason' | 'trunkId'>

/** What is to be written of a timeline at once. */
export interface Draft {
  timeline: Timeline
  row: StoredTimeline
  isNew: boolean
  rowChanged: boolean
  noted: readonly Noted[]
  /** Nothing of it is kept. */
  erase: boolean
}

/** What happens in a running call as one account sees it. To note something costs little and never fails. */
export class Timeline {
  readonly accountId: string
  readonly callId: string
  readonly #deps: TimelineDeps
  readonly #startedAt: number
  #userIds: () => readonly string[] = () => []
  #flowId: string | undefined
  #redactor: Redactor | undefined
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
  /** What its row says, as far as others need it, and since when. */
  #writtenRow = { says: '', at: -Infinity }

  /** `before`: what another process wrote, which had the call. */
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

  /** Who may look at it now, besides administrators. */
  get userIds(): readonly string[] {
    return this.#userIds()
  }

  /** For one more who notes something. */
  hold(): this {
    this.#holders += 1
    return this
  }

  release(): void {
    this.#holders -= 1
    if (this.#holders === 0) this.#deps.released(this)
  }

  seenBy(userIds: () => readonly string[]): void {
    this.#userIds = userIds
  }

  /** An assistant has the call from now on. `keep` false: what happens is told, but not kept. `redactor`: what it finds is neither told nor kept. */
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

  note(event: TimelineEvent, at = this.#deps.now()): void {
    this.#add(event, at)
    if (this.#isFull || this.#keptBytes <= maxRetainedBytes) return
    this.#add(tooMuch, at)
    this.#isFull = true
  }

  #add(notified: TimelineEvent, at: number): void {
    const event = this.#redactor ? redactEvent(notified, this.#redactor) : notified
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

  /** What the call is found by. */
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

  /** For this account the call is over: the users of its parties may look at it until the history tells of it. */
  end(): void {
    const last = [...this.userIds]
    this.#userIds = () => last
    this.#endedAt = Math.round(this.#deps.now())
  }

  /** It comes back to the account. */
  resume(): void {
    this.#endedAt = undefined
  }

  /** Another process goes on with it: what is not written yet is left out. */
  abandon(): void {
    this.#state = 'erased'
    this.#kept = false
    this.#deps.dropped(this.#pending.splice(0))
  }

  /** Nothing more comes from this process. */
  close(): void {
    this.#closedAt = Math.round(this.#deps.now())
    this.#endedAt ??= this.#closedAt
    if (this.#kept || this.#state === 'written') this.#deps.toWrite(this)
  }

  /** What is to be written now. */
  take(): Draft | undefined {
    const noted = this.#pending.splice(0)
    const isNew = this.#state === 'unwritten'
    if (this.#state === 'erased' || (isNew && noted.length === 0)) return undefined
    const row = this.#row()
    const { says, at } = this.#writtenRow
    const rowChanged = says !== saying(row) || row.changedAt - at >= touchIntervalMs
    return { timeline: this, row, isNew, rowChanged, noted, erase: !this.#kept }
  }

  /** `found` false: it was erased meanwhile. */
  written({ erase, row, rowChanged }: Draft, found: boolean): void {
    if (rowChanged) this.#writtenRow = { says: saying(row), at: row.changedAt }
    this.#state = erase || !found ? 'erased' : 'written'
    if (!this.#kept && this.#state === 'written') this.#deps.toWrite(this) // that became known meanwhile
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
