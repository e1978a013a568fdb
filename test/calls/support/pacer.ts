import type { Scope } from '#test/machine/temporary-folder.ts'

interface Paced {
  tick(now: number): void
}

const intervalMs = 5

/** Common clock of all phones: sends their packets and checks awaited conditions. */
export class Pacer {
  readonly #paced = new Set<Paced>()
  readonly #looking = new Set<(now: number) => void>()
  readonly #timer: NodeJS.Timeout
  /** Maximum delay of the clock in milliseconds: if large, the machine was too busy to listen. */
  longestMs = 0
  #last = performance.now()

  constructor(scope: Scope) {
    this.#timer = setInterval(() => this.#tick(), intervalMs)
    scope.after(() => clearInterval(this.#timer))
  }

  add(paced: Paced): void {
    this.#paced.add(paced)
  }

  /** False on timeout. */
  until(happened: () => boolean, withinMs: number): Promise<boolean> {
    const deadline = performance.now() + withinMs
    return new Promise((resolve) => {
      const look = (now: number): void => {
        const done = happened()
        if (!done && now < deadline) return
        this.#looking.delete(look)
        resolve(done)
      }
      this.#looking.add(look)
    })
  }

  #tick(): void {
    const now = performance.now()
    this.longestMs = Math.max(this.longestMs, now - this.#last)
    this.#last = now
    for (const one of this.#paced) one.tick(now)
    for (const look of this.#looking) look(now)
  }
}
