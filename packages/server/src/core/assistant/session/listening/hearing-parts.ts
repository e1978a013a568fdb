import type { Clock } from '#core/kernel/ports/clock.ts'
import type { TurnDetector } from '#core/kernel/ports/assistant/turn-detector.ts'
import type { Speech, Transcript } from '#core/kernel/ports/speech.ts'
import type { Audio } from '#core/kernel/ports/telephony.ts'
import type { Preview, TurnEnd, TurnTiming } from '../conversation/conversation.ts'
import type { SessionLanguage } from '../language/session-language.ts'

export interface HearingDeps {
  leg: { readonly audio: Pick<Audio, 'listen'> }
  speech: Pick<Speech, 'vad' | 'stt'>
  clock: Clock
  language: SessionLanguage
  /** In place of the embedded one. */
  turnDetector?: TurnDetector | undefined
  /** What is said is told while it is said, as far as that keeps nobody waiting. */
  wantsInterim?: (() => boolean) | undefined
  /** `audio`: nothing is recognised. */
  media?: 'audio' | 'both' | undefined
}

/** `text` is empty when there were no words in it. */
export interface HeardTurn extends Transcript {
  /** Who wrote it down: the provider and, where it has several, the model. */
  recogniser?: string
  /** Typed, not spoken. */
  typed?: true
  timing: TurnTiming
  /** Why it was over. */
  end?: TurnEnd
}

export interface HearingObserver {
  /** The caller's turn begins; `ended` follows. `goesOn`: without a pause after the turn before, which was too long. */
  began(goesOn: boolean): void
  /** A partial transcript of the turn; `agoMs`: how long ago its last word was said. */
  understood(heard: Transcript, agoMs: number): void
  ended(turn: HeardTurn): void
  /** The caller pauses after this, and has probably finished: `ended` with the same words follows, or `tookBack`. */
  previewed(preview: Preview): void
  /** The caller goes on: what was told by `previewed` was not all. */
  tookBack(): void
  /** Perhaps a voice, at this time (milliseconds since the epoch). */
  noticed(at: number): void
  /** The voice detector's result, at this time (milliseconds since the epoch), which is that sample of what was heard. */
  voice(speaks: boolean, at: number, sample: number): void
  beep(): void
  problem(message: string): void
  /** Nothing more is heard; a turn that was going on has ended without words. */
  lost(error: Error): void
}
