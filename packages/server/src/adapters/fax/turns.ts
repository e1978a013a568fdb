import { Problem } from '@offhook/contract/problem.ts'

/** More do not wait. */
const mostWaiting = 32

/** So many at the same time; the others wait in the order in which they came. */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(atOnce: number) {
    this.#free = atOnce
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else if (this.#waiting.length >= mostWaiting) throw new Problem('unavailable', 'Too many documents are being printed at the moment.')
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}
