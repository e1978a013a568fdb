/** In this time WebRTC finds a way where there is one. */
const timeoutMs = 4_000

/** Asks for another way while a connection has none, again and again until there is one. */
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
