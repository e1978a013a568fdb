import type { End, CallChange, CallFacts } from '#core/kernel/ports/calls.ts'
import type { CallMoment } from '@offhook/contract/v2/timeline.ts'
import type { Concealed } from '#core/kernel/ports/assistant.ts'
import type { CallerIdentity } from '#core/kernel/ports/telephony.ts'
import type { LegQuality, SoundState } from '#core/kernel/ports/audio.ts'
import type { TimelineEvent } from '#core/telephone/timeline/pieces.ts'
import type { Timeline } from '#core/telephone/timeline/timeline.ts'
import type { CallContext } from '../state/call-context.ts'
import type { RunningCall } from '../state/calls.ts'
import type { Party, Station, Role } from '../state/party.ts'
import type { CallDetails } from '../state/call-details.ts'
import type { CallLife } from '../state/call-life.ts'
import type { RecordWriter } from '#core/kernel/work/write-with-retry.ts'

interface TimelineDeps {
  readonly timelines: CallContext['timelines']
  readonly details: Pick<CallDetails, 'sides'>
  readonly from: CallerIdentity
  readonly to: string
}

type Routed = Omit<Extract<TimelineEvent, { kind: 'routing' }>, 'kind'>

interface AccountTimeline {
  timeline: Timeline
  /** The account is currently not involved in the call. */
  away: boolean
}

/** Notes call events in the timeline of each account while it is involved. */
export class CallTimeline {
  readonly #deps: TimelineDeps
  readonly #timelines = new Map<string, AccountTimeline>()
  readonly #awaited = new Set<Promise<void>>()
  #closed = false

  constructor(deps: TimelineDeps) {
    this.#deps = deps
  }

  /** The account joins, or rejoins, the call. */
  joined(view: RunningCall): void {
    const { accountId, callId } = view
    const known = this.#timelines.get(accountId)
    const timeline = known?.timeline ?? this.#deps.timelines.open(accountId, callId)
    timeline.seenBy(
      () => view.userIds,
      () => view.extensions,
    )
    if (known?.away) timeline.resume()
    this.#timelines.set(accountId, { timeline, away: false })
    if (!known) timeline.note({ kind: 'call', state: 'started', ...this.#numbers(accountId) })
  }

  /** Continues the timeline of an account involved on the previous node, without a second start entry. */
  resume(view: RunningCall): void {
    const timeline = this.#deps.timelines.open(view.accountId, view.callId)
    timeline.seenBy(
      () => view.userIds,
      () => view.extensions,
    )
    this.#timelines.set(view.accountId, { timeline, away: false })
  }

  /** The call continues without the account. */
  left(accountId: string): void {
    const known = this.#timelines.get(accountId)
    if (!known || known.away) return
    known.away = true
    known.timeline.note({ kind: 'call', state: 'transferred' })
    known.timeline.end()
  }

  /** For all accounts, or only for the given one. */
  note(state: Exclude<CallMoment, 'started' | 'ended'>, accountId?: string): void {
    for (const [id, { timeline, away }] of this.#timelines)
      if (!away && (accountId === undefined || accountId === id)) timeline.note({ kind: 'call', state })
  }

  /** Conceals keys or words while the account's recording is paused; see Timeline. */
  conceal(what: Concealed | undefined, accountId: string): void {
    this.#timelines.get(accountId)?.timeline.conceal(what)
  }

  /** Notes the effect of one of the account's routing rules. */
  routed(accountId: string, routed: Routed): void {
    const known = this.#timelines.get(accountId)
    if (known && !known.away) known.timeline.note({ kind: 'routing', ...routed })
  }

  /** For all accounts: a silent phone affects every party. Only its own account sees which phone it is. */
  sound(state: SoundState, of: Role, station: Station | undefined): void {
    for (const [id, { timeline, away }] of this.#timelines)
      if (!away) timeline.note({ kind: 'sound', state, of, ...(station?.accountId === id && { deviceId: station.deviceId }) })
  }

  /** Quality reports arrive later, possibly after the call; timelines stay open until then. */
  legEnded({ leg: { quality, trunkId }, role, station }: Pick<Party, 'leg' | 'role' | 'station'>): void {
    if (this.#closed) return // the leg had moved to another call
    if (trunkId !== undefined) for (const { timeline } of this.#timelines.values()) timeline.over(trunkId)
    if (!quality) return
    const noted = quality.then((known) => {
      this.#awaited.delete(noted)
      if (known) this.#quality(known, role, station)
    })
    this.#awaited.add(noted)
  }

  ended({ by, reason, cause }: End): void {
    for (const { timeline, away } of this.#timelines.values()) {
      if (away) continue
      timeline.note({ kind: 'call', state: 'ended', by, reason, cause })
      timeline.end()
    }
  }

  /** Another node resumes the call. */
  abandon(): void {
    for (const { timeline } of this.#timelines.values()) timeline.abandon()
    this.close()
  }

  /** Releases the timelines once pending quality reports are noted; from now on the history holds the call. */
  close(): void {
    this.#closed = true
    if (this.#awaited.size === 0) this.#release()
    else void Promise.all(this.#awaited).then(() => this.#release())
  }

  #release(): void {
    for (const { timeline } of this.#timelines.values()) timeline.release()
    this.#timelines.clear()
  }

  /** For all accounts, like `sound`. */
  #quality(quality: LegQuality, of: Role, station: Station | undefined): void {
    for (const [id, { timeline, away }] of this.#timelines)
      if (!away) timeline.note({ kind: 'quality', of, ...(station?.accountId === id && { deviceId: station.deviceId }), ...quality })
  }

  /** Numbers as the account sees them. */
  #numbers(accountId: string): { from: string; to: string } {
    const { details, from, to } = this.#deps
    const side = details.sides.find((one) => one.accountId === accountId)
    const number = from.withheld ? undefined : from.number
    return { from: side?.source.number ?? number ?? 'anonymous', to: side?.target.number ?? to }
  }
}

interface ReportDeps {
  readonly life: CallLife
  readonly context: CallContext
  readonly timeline: Pick<CallTimeline, 'note' | 'sound'>
  /** Current facts of the call for observers. */
  readonly facts: () => CallFacts
}

/** Changes noted in the timeline; start and end are noted elsewhere with more detail. */
const isMoment = (what: CallChange): what is 'ringing' | 'answered' | 'transferred' =>
  what === 'ringing' || what === 'answered' || what === 'transferred'

/** Notifies call observers and the accounts' timelines of changes. */
export class CallReports {
  readonly #deps: ReportDeps

  constructor(deps: ReportDeps) {
    this.#deps = deps
  }

  changed(what: CallChange): void {
    const { life, context, timeline } = this.#deps
    const facts = this.#deps.facts()
    if (isMoment(what)) timeline.note(what)
    for (const observer of context.observers) life.attempt(() => observer.changed(facts, what))
  }

  sound({ station, role }: Party, state: SoundState): void {
    const { life, context, timeline } = this.#deps
    timeline.sound(state, role, station)
    if (station) noteSound(context, life.id, station, state)
    const phone = station && { accountId: station.accountId, deviceId: station.deviceId }
    for (const observer of context.observers) life.attempt(() => observer.sound?.(life.id, state, phone))
  }
}

/** Keeps the last audio problem of a phone, for its administrators. Runs in the background. */
const noteSound = (
  { store, clock, tasks, onFailure }: RecordWriter,
  callId: string,
  { accountId, deviceId }: Station,
  state: SoundState,
): void => {
  const written = store.write(({ devices }) =>
    state === 'heard'
      ? devices.forgetSound(accountId, deviceId, callId)
      : devices.noteSound(accountId, deviceId, { state, callId, at: Math.round(clock.now()) }),
  )
  tasks.track(written).catch((error: unknown) => onFailure(error, callId))
}
