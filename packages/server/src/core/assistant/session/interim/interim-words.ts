import type { Session } from '@offhook/contract/assistant/session.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { SessionEndpoint } from '../endpoint/session-endpoint.ts'
import { stableChars } from './stable-chars.ts'

/** Providers tell more often than anybody can read. What comes in between is left out: the next has it all, and the turn comes anyway. */
const minIntervalMs = 300

export interface InterimWordsDeps {
  clock: Clock
  session: Session
  endpoint: () => Pick<SessionEndpoint, 'notify' | 'wants' | 'duplex'>
}

/** Tells endpoints that want it what the caller has said until now (`user_speak_partial`). */
export class InterimWords {
  readonly #deps: InterimWordsDeps
  /** What was understood before, told or not. */
  #before = ''
  #told = ''
  #toldAt = -Infinity

  constructor(deps: InterimWordsDeps) {
    this.#deps = deps
  }

  /** Not over webhooks: every event would wait for the one before it, and the turn for them all. */
  get wanted(): boolean {
    const endpoint = this.#deps.endpoint()
    return endpoint.wants('user_speak_partial') && endpoint.duplex
  }

  /** A turn begins: nothing was said in it yet. */
  begins(): void {
    this.#before = ''
    this.#told = ''
    this.#toldAt = -Infinity
  }

  understood(text: string): void {
    const words = text.trim()
    if (words === '' || !this.wanted) return
    const { clock, session, endpoint } = this.#deps
    const stable = stableChars(this.#before, words)
    this.#before = words
    if (words === this.#told || clock.now() - this.#toldAt < minIntervalMs) return
    this.#told = words
    this.#toldAt = clock.now()
    endpoint().notify({ type: 'user_speak_partial', session, text: words, stable_chars: stable })
  }
}
