/** `ahead` of what nobody waits for: everything else comes first. */
export const abandonMs = 600_000

interface Rehearsal {
  signal: AbortSignal
  make: (signal: AbortSignal) => Promise<void>
}

/** More are not taken: they would be made much too late. */
const maxQueued = 500
/** How many names of what was made once are remembered. */
const maxRemembered = 1000

/** Makes the sound of what may be said soon: one after the other for all calls, so that no more than one voice is ever busy with it. */
export class Rehearsals {
  readonly #waiting: Rehearsal[] = []
  readonly #taken = new Set<string>()
  #busy = false

  /** Dropped, or ended, when `signal` is aborted. That it fails does not matter: it is made when it is needed. */
  add(signal: AbortSignal, make: Rehearsal['make']): void {
    if (this.#waiting.length >= maxQueued) return
    this.#waiting.push({ signal, make })
    if (!this.#busy) void this.#work()
  }

  /** For more than one call: not if something of this name was taken before. */
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
