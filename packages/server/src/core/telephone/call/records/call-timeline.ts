import type { End } from '#core/kernel/ports/call-end.ts'
import type { CallMoment } from '@offhook/contract/v2/timeline.ts'
import type { CallerIdentity, LegQuality, SoundState } from '#core/kernel/ports/telephony.ts'
import type { TimelineEvent } from '#core/telephone/timeline/noted.ts'
import type { Timeline } from '#core/telephone/timeline/timeline.ts'
import type { CallContext } from '../state/call-context.ts'
import type { RunningCall } from '../state/calls.ts'
import type { Party, Station, Role } from '../state/party.ts'
import type { CallDetails } from '../state/call-details.ts'

/** A call as its accounts read about it. */
interface NotedCall {
  readonly context: Pick<CallContext, 'timelines'>
  readonly details: Pick<CallDetails, 'sides'>
  readonly from: CallerIdentity
  readonly to: string
}

type Routed = Omit<Extract<TimelineEvent, { kind: 'routing' }>, 'kind'>

interface AccountTimeline {
  timeline: Timeline
  /** The account has nothing to do with the call at the moment. */
  away: boolean
}

/** What happens to a call, noted for each account that it concerns, as long as it does. */
export class CallTimeline {
  readonly #call: NotedCall
  readonly #timelines = new Map<string, AccountTimeline>()
  readonly #awaited = new Set<Promise<void>>()
  #closed = false

  constructor(call: NotedCall) {
    this.#call = call
  }

  /** The account is concerned from now on, or again. */
  joined(view: RunningCall): void {
    const { accountId, callId } = view
    const known = this.#timelines.get(accountId)
    const timeline = known?.timeline ?? this.#call.context.timelines.open(accountId, callId)
    timeline.seenBy(() => view.userIds)
    if (known?.away) timeline.resume()
    this.#timelines.set(accountId, { timeline, away: false })
    if (!known) timeline.note({ kind: 'call', state: 'started', ...this.#numbers(accountId) })
  }

  /** The account was concerned in the process that had the call: it knows when it began. */
  resume(view: RunningCall): void {
    const timeline = this.#call.context.timelines.open(view.accountId, view.callId)
    timeline.seenBy(() => view.userIds)
    this.#timelines.set(view.accountId, { timeline, away: false })
  }

  /** It goes on without the account. */
  left(accountId: string): void {
    const known = this.#timelines.get(accountId)
    if (!known || known.away) return
    known.away = true
    known.timeline.note({ kind: 'call', state: 'transferred' })
    known.timeline.end()
  }

  /** For all, or for the one that alone is concerned by it. */
  note(state: Exclude<CallMoment, 'started' | 'ended'>, accountId?: string): void {
    for (const [id, { timeline, away }] of this.#timelines)
      if (!away && (accountId === undefined || accountId === id)) timeline.note({ kind: 'call', state })
  }

  /** What a rule of the account has made of the call. */
  routed(accountId: string, routed: Routed): void {
    const known = this.#timelines.get(accountId)
    if (known && !known.away) known.timeline.note({ kind: 'routing', ...routed })
  }

  /** For all: a phone that is not heard concerns every party. Which phone it is, only its own account learns. */
  sound(state: SoundState, of: Role, station: Station | undefined): void {
    for (const [id, { timeline, away }] of this.#timelines)
      if (!away) timeline.note({ kind: 'sound', state, of, ...(station?.accountId === id && { deviceId: station.deviceId }) })
  }

  /** How it was heard is known a moment later, maybe when the call is over: the timelines stay open until then. */
  legEnded({ leg: { quality, trunkId }, role, station }: Pick<Party, 'leg' | 'role' | 'station'>): void {
    if (this.#closed) return // the leg had gone on in another call
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

  /** Another process goes on with it. */
  abandon(): void {
    for (const { timeline } of this.#timelines.values()) timeline.abandon()
    this.close()
  }

  /** The history tells of it from now on. */
  close(): void {
    this.#closed = true
    if (this.#awaited.size === 0) this.#release()
    else void Promise.all(this.#awaited).then(() => this.#release())
  }

  #release(): void {
    for (const { timeline } of this.#timelines.values()) timeline.release()
    this.#timelines.clear()
  }

  /** For all, as `sound`. */
  #quality(quality: LegQuality, of: Role, station: Station | undefined): void {
    for (const [id, { timeline, away }] of this.#timelines)
      if (!away) timeline.note({ kind: 'quality', of, ...(station?.accountId === id && { deviceId: station.deviceId }), ...quality })
  }

  /** As the account sees them. */
  #numbers(accountId: string): { from: string; to: string } {
    const { details, from, to } = this.#call
    const side = details.sides.find((one) => one.accountId === accountId)
    const number = from.withheld ? undefined : from.number
    return { from: side?.source.number ?? number ?? 'anonymous', to: side?.target.number ?? to }
  }
}
