import type { EndReason } from '#core/kernel/ports/call-end.ts'
import type { FlowCall } from '#core/kernel/ports/assistant/flow-runtime.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { OwnWords } from '#core/speech/own-words/own-words.ts'
import type { ActionPerformer } from './action-performer.ts'

/** After this many turns in a row without a reply the caller is not asked to repeat once more: the fallback takes the call. */
const mostFailures = 3

export interface FallbackParts {
  call: FlowCall
  flow: Flow
  performer: ActionPerformer
  /** Says words of the flow for it, or our own. */
  say: (text: string | undefined, own: (words: OwnWords) => string) => void
  /** Starts work in the background. */
  start: (work: () => Promise<void>) => void
}

/** What happens to calls whose endpoint cannot be reached, or whose caller cannot be heard any more. */
export class Fallback {
  readonly #parts: FallbackParts
  #failures = 0
  #leaving = false

  constructor(parts: FallbackParts) {
    this.#parts = parts
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
    if (this.#failures >= mostFailures) return this.leave()
    const { flow, say } = this.#parts
    if (!this.#leaving) say(flow.settings.retryText, ({ retry }) => retry)
  }

  /** Plays the flow's fallback text or transfers to its fallback target, then ends the call. */
  leave(reason: 'endpoint_unavailable' | 'service_failure' = 'endpoint_unavailable'): void {
    if (this.#leaving) return
    this.#leaving = true
    this.#parts.start(() => this.#sayGoodbye(reason))
  }

  async #sayGoodbye(reason: EndReason): Promise<void> {
    const { call, flow, performer, say } = this.#parts
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
