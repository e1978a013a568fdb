import type { RecordedTool } from '@offhook/contract/assistant/scenario.ts'
import type { AssistantChoice } from '#core/kernel/ports/store/assistant/assistant-choice.ts'

/** A conversation that is only a test: nothing that an assistant does in it has an effect outside. */
export interface Rehearsal {
  accountId: string
  flowId: string
  choice: AssistantChoice
  /** What its HTTP tools answer. */
  tools: readonly RecordedTool[]
}

/** Those that are being held now, by the id of their session. They are held by the process whose agent has them. */
export class Rehearsals {
  readonly #held = new Map<string, Rehearsal>()

  /** Gives what ends it. */
  begin(sessionId: string, rehearsal: Rehearsal): () => void {
    this.#held.set(sessionId, rehearsal)
    return () => void this.#held.delete(sessionId)
  }

  of(sessionId: string): Rehearsal | undefined {
    return this.#held.get(sessionId)
  }
}
