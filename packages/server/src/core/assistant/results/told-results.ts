import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { Tasks } from '#core/kernel/work/tasks.ts'
import { publishResult } from './note-result.ts'

type Told = Omit<ActionOf<'result'>, 'type' | 'session_id' | 'turn' | 'turn_token'>

export interface ToldResultsDeps {
  store: Store
  clock: Clock
  /** Something was put into the outbox. */
  wake: () => void
  onError: (error: unknown, callId: string) => void
}

/** What endpoints say of calls, written beside them: no call waits for it. */
export class ResultPublisher {
  readonly #deps: ToldResultsDeps
  readonly #tasks = new Tasks()
  /** One after the other: of two results of a call the later one counts. */
  #writing: Promise<void> = Promise.resolve()

  constructor(deps: ToldResultsDeps) {
    this.#deps = deps
  }

  readonly keep = ({ callId }: { callId: string }, notified: Told): void => {
    this.#writing = this.#writing.then(() => this.#write(callId, notified))
    void this.#tasks.track(this.#writing)
  }

  idle(): Promise<void> {
    return this.#tasks.idle()
  }

  close(): Promise<void> {
    return this.idle()
  }

  async #write(callId: string, { next_steps: nextSteps, ...notified }: Told): Promise<void> {
    const { store, clock, wake, onError } = this.#deps
    try {
      const all = { ...notified, ...(nextSteps && { nextSteps }) }
      if (await store.write((tables) => publishResult(tables, callId, all, clock.now()))) wake()
    } catch (error) {
      onError(error, callId)
    }
  }
}
