import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'
import type { CountedResult } from '#core/kernel/ports/store/assistant/results.ts'
import type { Spoken } from './conversation/conversation.ts'
import type { TurnTimes } from './conversation/turn-times.ts'

/** What a session was like, in figures. A process that goes on with it counts from there. */
export class SessionCounts {
  #interruptions = 0
  readonly #firstSounds: number[] = []

  turn({ firstSoundMs }: TurnTimes): void {
    if (firstSoundMs !== undefined) this.#firstSounds.push(firstSoundMs)
  }

  spoke({ cutBy }: Pick<Spoken, 'cutBy'>): void {
    if (cutBy) this.#interruptions++
  }

  /** `turns`: that the session had in all processes. */
  counted(session: {
    startedAt: number
    at: number
    reason: SessionEndReason
    turns: number
    transferredTo: string | undefined
  }): CountedResult {
    const { startedAt, at, reason: endReason, turns, transferredTo } = session
    const firstSoundMs = this.#median
    return {
      durationMs: Math.max(0, Math.round(at - startedAt)),
      endReason,
      turns,
      interruptions: this.#interruptions,
      ...(transferredTo !== undefined && { transferredTo }),
      ...(firstSoundMs !== undefined && { firstSoundMs }),
    }
  }

  get #median(): number | undefined {
    const sorted = this.#firstSounds.toSorted((a, b) => a - b)
    const middle = sorted[Math.floor((sorted.length - 1) / 2)]
    return middle === undefined ? undefined : Math.round(middle)
  }
}
