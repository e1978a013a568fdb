const lock = 'offhook-phone'

/** Among all tabs of the console only one rings: the first, and when it is closed the next. */
export class RingingTab {
  #mine = false
  #release: (() => void) | undefined

  get isMine(): boolean {
    return this.#mine
  }

  /** `onGot`: from now on it is this one. Where browsers have no locks, every tab rings. */
  apply(onGot: () => void): void {
    if (this.#release !== undefined) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#release = resolve
    const hold = (): Promise<void> => {
      this.#mine = true
      onGot()
      return promise
    }
    if (isSecureContext && 'locks' in navigator) void navigator.locks.request(lock, hold)
    else void hold()
  }

  withdraw(): void {
    this.#mine = false
    this.#release?.()
    this.#release = undefined
  }
}
