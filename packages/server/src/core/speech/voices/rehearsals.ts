/** `ahead` value of background synthesis: everything else goes first. */
export const abandonMs = 600_000

interface Rehearsal {
  signal: AbortSignal
  make: (signal: AbortSignal) => Promise<void>
}

/** Maximum queued: further ones would come much too late. */
const maxQueued = 500
/** Maximum remembered names. */
const maxRemembered = 1000

/** Synthesises likely speech in advance: one at a time for all calls, so that at most one voice is busy with it. */
export class Rehearsals {
  readonly #waiting: Rehearsal[] = []
  readonly #taken = new Set<string>()
  #busy = false

  /** Dropped or ended when `signal` is aborted. Failures are ignored: the speech is synthesised when needed. */
  add(signal: AbortSignal, make: Rehearsal['make']): void {
    if (this.#waiting.length >= maxQueued) return
    this.#waiting.push({ signal, make })
    if (!this.#busy) void this.#work()
  }

  /** For several calls: skipped if the name was added before. */
  addOnce(name: string, make: Rehearsal['make']): void {
    if (this.#taken.has(name)) return
    this.#remember(name)
    this.add(new AbortController().signal, make)
  }

  async #work(): Promise<void> {
    this.#busy = true
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      if (!next.signal.aborted) await next.make(next.signal).catch(() => {})
    }
    this.#busy = false
  }

  #remember(name: string): void {
    this.#taken.add(name)
    const [oldest] = this.#taken
    if (this.#taken.size > maxRemembered && oldest !== undefined) this.#taken.delete(oldest)
  }
}
