import type { Session } from '@offhook/contract/assistant/session.ts'
import type { SessionEndpoint } from '../endpoint/session-endpoint.ts'
import type { SessionTimeline } from '../endpoint/session-timeline.ts'
import type { Said, Unclear } from '../conversation/conversation.ts'

/** Below it, most of the words are wrong. */
const minConfidence = 0.5
/** A voice of this length said something; what is shorter is often a cough or a click. */
const minVoiceMs = 600
/** A caller who was asked twice will not be understood the third time; and a noise that goes on is not asked again and again. */
const maxRequests = 2

export interface UnclearSpeechDeps {
  session: Session
  endpoint: Pick<SessionEndpoint, 'notify' | 'wants'>
  timeline: Pick<SessionTimeline, 'unclear'>
  /** Nothing sounds or is awaited. */
  isSilent: () => boolean
  /** Asks the caller to say it again. */
  askAgain: () => void
}

/** What the caller said and nobody understood: it is always noted, and told to the endpoints that want to know. */
export class UnclearSpeech {
  readonly #deps: UnclearSpeechDeps
  /** How often the caller was asked since something was understood. */
  #asked = 0

  constructor(deps: UnclearSpeechDeps) {
    this.#deps = deps
  }

  /** Gives whether the turn is none, because the endpoint wants to hear of such ones apart. */
  takes({ text, confidence, bargedIn, typed, durationMs = 0 }: Said): boolean {
    this.#asked = 0
    if (typed || confidence === undefined || confidence >= minConfidence) return false
    this.#note({ durationMs, guess: text, confidence })
    const apart = !bargedIn && this.#deps.endpoint.wants('user_speech_unclear')
    if (apart) this.#notify({ durationMs, guess: text, confidence })
    return apart
  }

  /** A voice without words that was meant for the assistant. */
  voice(durationMs: number): void {
    if (durationMs < minVoiceMs) return
    const { endpoint, isSilent, askAgain: retryAsk } = this.#deps
    this.#note({ durationMs })
    if (endpoint.wants('user_speech_unclear')) return this.#notify({ durationMs })
    if (this.#asked >= maxRequests || !isSilent()) return
    this.#asked += 1
    retryAsk()
  }

  #note(unclear: Unclear): void {
    this.#deps.timeline.unclear(unclear)
  }

  #notify({ durationMs, guess, confidence }: Unclear): void {
    this.#deps.endpoint.notify({
      type: 'user_speech_unclear',
      session: this.#deps.session,
      duration_ms: Math.round(durationMs),
      ...(guess !== undefined && { best_guess: guess }),
      ...(confidence !== undefined && { confidence }),
    })
  }
}
