import type { audioClearReasons } from '@offhook/contract/assistant/events.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { ConversationSound } from '../conversation/conversation.ts'
import type { SoundPiece } from '../speaking/playout.ts'
import type { SpeechOrder, SpeechPlayout } from '../speaking/speech-playout.ts'
import { SoundStretch } from './sound-stretch.ts'

/** So much may wait to be heard. */
const maxLeadMs = 30_000

export interface EndpointSoundDeps {
  clock: Clock
  /** Puts it behind what is being said. */
  play: (eventId: string, order: Pick<SpeechOrder, 'parts' | 'abandon'>, made: (speech: SpeechPlayout) => void) => void
  /** Ends all sound that plays or waits. */
  drop: () => void
  played: (name: string, playedMs: number) => void
  cleared: (playedMs: number, reason: (typeof audioClearReasons)[number]) => void
}

/** Sound that the endpoint sends, one stretch after the other, between its speeches. */
export class EndpointSound implements ConversationSound {
  readonly #deps: EndpointSoundDeps
  /** That are not over, the oldest first. */
  #stretches: SoundStretch[] = []
  /** Of those that are. */
  #playedBeforeMs = 0
  #clearing: (typeof audioClearReasons)[number] | undefined

  constructor(deps: EndpointSoundDeps) {
    this.#deps = deps
  }

  get playedMs(): number {
    return Math.round(this.#stretches.reduce((sum, { playedMs }) => sum + playedMs, this.#playedBeforeMs))
  }

  put({ samples, rate }: SoundPiece, eventId: string): 'begun' | 'taken' | 'full' {
    const aheadMs = this.#stretches.reduce((sum, stretch) => sum + stretch.aheadMs, 0)
    const room = Math.max(0, Math.floor(((maxLeadMs - aheadMs) * rate) / 1000))
    const taken = samples.subarray(0, room)
    if (taken.length === 0) return 'full'
    const last = this.#stretches.at(-1)
    const stretch = last?.isOpen ? last : this.#begin(eventId)
    stretch.add({ samples: taken, rate })
    if (taken.length < samples.length) return 'full'
    return stretch === last ? 'taken' : 'begun'
  }

  mark(name: string): void {
    const last = this.#stretches.at(-1)
    if (last) last.mark(name)
    else this.#deps.played(name, this.playedMs)
  }

  end(): void {
    this.#stretches.at(-1)?.end()
  }

  clear(): void {
    this.#clearing = 'audio_clear'
    this.#deps.drop()
    this.#clearing = undefined
    this.#deps.cleared(this.playedMs, 'audio_clear')
  }

  #begin(eventId: string): SoundStretch {
    const { clock, play, played } = this.#deps
    const stretch = new SoundStretch({ clock, reached: (name) => played(name, this.playedMs) })
    this.#stretches.push(stretch)
    let speech: SpeechPlayout | undefined
    play(eventId, { parts: stretch.parts(), abandon: () => speech && this.#ended(stretch, speech) }, (made) => {
      speech = made
      stretch.speech = made
    })
    return stretch
  }

  /** Heard to its end, or cut off by the caller, the endpoint or the end of the call. Told once, though several may be cut off at once. */
  #ended(stretch: SoundStretch, speech: SpeechPlayout): void {
    if (!this.#stretches.includes(stretch)) return
    const { playedMs } = stretch
    stretch.finish(!speech.dropped)
    this.#stretches = this.#stretches.filter((one) => one !== stretch)
    this.#playedBeforeMs += playedMs
    if (!speech.dropped || this.#clearing) return
    this.#clearing = speech.isCut ? 'barge_in' : 'ended'
    queueMicrotask(() => {
      const reason = this.#clearing ?? 'ended'
      this.#clearing = undefined
      this.#deps.cleared(this.playedMs, reason)
    })
  }
}
