import type { EndReason } from '#core/kernel/ports/call-end.ts'
import type { FlowCall } from '#core/kernel/ports/assistant/flow-runtime.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { SystemPhrases } from '#core/speech/system-phrases/system-phrases.ts'
import type { ActionPerformer } from './action-performer.ts'

/** After this many turns in a row without a reply the caller is not asked to repeat once more: the fallback takes the call. */
const maxFailures = 3

export interface FallbackDeps {
  call: FlowCall
  flow: Flow
  performer: ActionPerformer
  /** Says words of the flow for it, or our own. */
  say: (text: string | undefined, own: (words: SystemPhrases) => string) => void
  /** Starts work in the background. */
  start: (work: () => Promise<void>) => void
}

/** What happens to calls whose endpoint cannot be reached, or whose caller cannot be heard any more. */
export class Fallback {
  readonly #deps: FallbackDeps
  #failures = 0
  #leaving = false

  constructor(deps: FallbackDeps) {
    this.#deps = deps
  }

  /** The fallback has the call: the endpoint is not asked any more. */
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

  /** Plays the flow's fallback text or transfers to its fallback target, then ends the call. */
  leave(reason: 'endpoint_unavailable' | 'service_failure' = 'endpoint_unavailable'): void {
    if (this.#leaving) return
    this.#leaving = true
    this.#deps.start(() => this.#sayGoodbye(reason))
  }

  async #sayGoodbye(reason: EndReason): Promise<void> {
    const { call, flow, performer, say } = this.#deps
    const { text, transferTo } = flow.settings.fallback ?? {}
    if (!(await performer.keepsCaller())) return // a transfer that was under way has been taken
    if (text !== undefined || transferTo === undefined) {
      say(text, ({ goodbye }) => goodbye)
      await performer.finishedSpeaking()
    }
    if (transferTo !== undefined && (await performer.transfer(transferTo)) === 'taken') return
    call.hangUp(reason)
  }
}
