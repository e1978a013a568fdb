import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { SessionState } from './session-state.ts'

/** How old what is noted may be. */
const collectMs = 500

export interface SessionStatesDeps {
  store: Store
  clock: Clock
  owner: string
  onError: (error: unknown) => void
}

/** Notes how to go on with the sessions of this process: all that have changed at once, and no session waits for it. */
export class SessionStates {
  readonly #deps: SessionStatesDeps
  readonly #changed = new Map<string, () => SessionState>()
  #cancelTimer: (() => void) | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(deps: SessionStatesDeps) {
    this.#deps = deps
  }

  changed(id: string, state: () => SessionState): void {
    this.#changed.set(id, state)
    this.#cancelTimer ??= this.#deps.clock.after(collectMs, () => void this.flush())
  }

  /** It is over, or another process has it. */
  forget(id: string): void {
    this.#changed.delete(id)
  }

  /** Everything until now is noted, or could not be. */
  async flush(): Promise<void> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#writing = this.#writing.then(() => this.#write())
    await this.#writing
  }

  /** What changed last is of no use any more. */
  async close(): Promise<void> {
    this.#changed.clear()
    this.#cancelTimer?.()
    await this.#writing
  }

  /** What cannot be written is written with the next change: it is of use only while it is fresh. */
  async #write(): Promise<void> {
    const { store, owner, onError } = this.#deps
    const kept = [...this.#changed].map(([id, state]) => ({ id, state: state() }))
    this.#changed.clear()
    if (kept.length > 0) await store.write(({ sessions }) => sessions.keepStates(owner, kept)).catch(onError)
  }
}
