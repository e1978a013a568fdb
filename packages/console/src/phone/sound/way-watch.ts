/** Milliseconds in which WebRTC finds an existing path. */
const timeoutMs = 4_000

/** Repeatedly asks for another path while a connection has none. */
export class WayWatch {
  readonly #ask: () => void
  readonly #after: (ms: number, work: () => void) => () => void
  #cancel: (() => void) | undefined

  constructor(ask: () => void, after: (ms: number, work: () => void) => () => void) {
    this.#ask = ask
    this.#after = after
  }

  lost(ms = timeoutMs): void {
    this.#cancel ??= this.#after(ms, () => {
      this.#cancel = undefined
      this.#ask()
      this.lost()
    })
  }

  found(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }
}
