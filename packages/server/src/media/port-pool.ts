import { randomInt } from 'node:crypto'
import { MediaFull } from './engine.ts'

export interface PortRange {
  first: number
  last: number
}

/**
 * Even ports of a range, in random order: a port that cannot be guessed is harder to aim at.
 * A port rests after its use; when all others are taken, the one that has rested longest is not used earlier: the call is refused.
 */
export class PortPool {
  readonly #free: number[] = []
  /** In the order of their release. */
  readonly #resting: { port: number; until: number }[] = []
  readonly #restMs: number
  readonly #now: () => number

  constructor({ first, last }: PortRange, restMs = 30_000, now: () => number = () => performance.now()) {
    for (let port = first + (first % 2); port + 1 <= last; port += 2) this.#free.push(port)
    this.#restMs = restMs
    this.#now = now
  }

  take(): number {
    this.#wake()
    if (this.#free.length === 0) throw new MediaFull()
    const index = randomInt(this.#free.length)
    const port = this.#free[index]
    const last = this.#free.pop()
    if (port === undefined || last === undefined) throw new MediaFull()
    if (port !== last) this.#free[index] = last
    return port
  }

  /** Not used by anybody any more. Another process has it: rests too, so that it is not tried again at once. */
  release(port: number): void {
    this.#resting.push({ port, until: this.#now() + this.#restMs })
  }

  #wake(): void {
    const now = this.#now()
    while (this.#resting[0] && this.#resting[0].until <= now) this.#free.push(this.#resting.shift()?.port ?? 0)
  }
}
