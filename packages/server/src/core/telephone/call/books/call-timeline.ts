import type { End } from '#core/kernel/ports/call-end.ts'
import type { CallMoment } from '@offhook/contract/v2/timeline.ts'
import type { SoundState } from '#core/kernel/ports/telephony.ts'
import type { Timeline } from '#core/telephone/timeline/timeline.ts'
import type { Call } from '../call.ts'
import type { RunningCall } from '../state/calls.ts'
import type { Desk, Role } from '../state/party.ts'

interface Seat {
  timeline: Timeline
  /** The account has nothing to do with the call at the moment. */
  away: boolean
}

/** What happens to a call, noted for each account that it concerns, as long as it does. */
export class CallTimeline {
  readonly #call: Call
  readonly #seats = new Map<string, Seat>()

  constructor(call: Call) {
    this.#call = call
  }

  /** The account is concerned from now on, or again. */
  joined(view: RunningCall): void {
    const { accountId, callId } = view
    const known = this.#seats.get(accountId)
    const timeline = known?.timeline ?? this.#call.parts.timelines.open(accountId, callId)
    timeline.seenBy(() => view.userIds)
    if (known?.away) timeline.goOn()
    this.#seats.set(accountId, { timeline, away: false })
    if (!known) timeline.note({ kind: 'call', state: 'started', ...this.#numbers(accountId) })
  }

  /** It goes on without the account. */
  left(accountId: string): void {
    const seat = this.#seats.get(accountId)
    if (!seat || seat.away) return
    seat.away = true
    seat.timeline.note({ kind: 'call', state: 'transferred' })
    seat.timeline.end()
  }

  /** For all, or for the one that alone is concerned by it. */
  note(state: Exclude<CallMoment, 'started' | 'ended'>, accountId?: string): void {
    for (const [id, { timeline, away }] of this.#seats)
      if (!away && (accountId === undefined || accountId === id)) timeline.note({ kind: 'call', state })
  }

  /** For all: who is not heard concerns everybody. Which phone it is knows its own account alone. */
  sound(state: SoundState, of: Role, desk: Desk | undefined): void {
    for (const [id, { timeline, away }] of this.#seats)
      if (!away) timeline.note({ kind: 'sound', state, of, ...(desk?.accountId === id && { deviceId: desk.deviceId }) })
  }

  ended({ by, reason, cause }: End): void {
    for (const { timeline, away } of this.#seats.values()) {
      if (away) continue
      timeline.note({ kind: 'call', state: 'ended', by, reason, cause })
      timeline.end()
    }
  }

  /** The history tells of it from now on. */
  close(): void {
    for (const { timeline } of this.#seats.values()) timeline.release()
    this.#seats.clear()
  }

  /** As the account sees them. */
  #numbers(accountId: string): { from: string; to: string } {
    const { story, from, to } = this.#call
    const side = story.sides.find((one) => one.accountId === accountId)
    const number = from.withheld ? undefined : from.number
    return { from: side?.source.number ?? number ?? 'anonymous', to: side?.target.number ?? to }
  }
}
