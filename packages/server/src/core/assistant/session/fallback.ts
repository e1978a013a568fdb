import type { Clock } from '#core/kernel/ports/platform.ts'
import type { EndReason } from '#core/kernel/ports/calls.ts'
import type { FlowCall } from '#core/kernel/ports/assistant.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import type { SystemPhrases } from '#core/speech/system-phrases/system-phrases.ts'
import { atMost } from '#core/kernel/work/waiting.ts'
import type { ActionPerformer } from './action-performer.ts'
import type { SayOptions } from './silence/dead-air.ts'

/** Consecutive unanswered turns after which the fallback takes the call instead of asking the caller to repeat. */
const maxFailures = 3

/** Maximum duration of a goodbye in milliseconds; the longest text of a flow takes less. */
const maxGoodbyeMs = 120_000

interface FallbackDeps {
  clock: Clock
  call: FlowCall
  flow: Flow
  performer: ActionPerformer
  /** Speaks the flow's text or a system phrase. */
  say: (text: string | undefined, own: (words: SystemPhrases) => string, options?: SayOptions) => void
  /** Starts work in the background. */
  start: (work: () => Promise<void>) => void
}

/** Handles calls whose endpoint is unreachable or whose caller can no longer be heard. */
export class Fallback {
  readonly #deps: FallbackDeps
  #failures = 0
  #leaving = false

  constructor(deps: FallbackDeps) {
    this.#deps = deps
  }

  /** True once the fallback has the call and the endpoint is no longer asked. */
  get leaving(): boolean {
    return this.#leaving
  }

  turnReplied(): void {
    this.#failures = 0
  }

  turnFailed(): void {
    this.#failures += 1
    if (this.#failures >= maxFailures) return this.leave()
    const { flow, say } = this.#deps
    if (!this.#leaving) say(flow.settings.retryText, ({ retry }) => retry)
  }

  /** Plays the flow's fallback text, transfers to its fallback target, or both, then ends the call. */
  leave(reason: 'endpoint_unavailable' | 'service_failure' = 'endpoint_unavailable'): void {
    if (this.#leaving) return
    this.#leaving = true
    this.#deps.start(() => this.#sayGoodbye(reason))
  }

  async #sayGoodbye(reason: EndReason): Promise<void> {
    const { call, flow, performer } = this.#deps
    const { text, transferTo } = flow.settings.fallback ?? {}
    if (!(await performer.keepsCaller())) return // a pending transfer succeeded
    if (text !== undefined || transferTo === undefined) await this.#play(text)
    if (transferTo !== undefined) {
      if ((await performer.transfer(transferTo)) === 'taken') return
      await this.#play(undefined) // the caller heard it ring, and would hear the call break off
    }
    call.hangUp(reason)
  }

  /** Protected: a caller who interrupted it would be left in silence, because no endpoint answers here. */
  #play(text: string | undefined): Promise<void> {
    const { clock, performer, say } = this.#deps
    say(text, ({ goodbye }) => goodbye, { protect: true })
    return atMost(clock, maxGoodbyeMs, performer.finishedSpeaking(), undefined)
  }
}
