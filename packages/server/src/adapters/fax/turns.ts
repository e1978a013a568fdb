import { Problem } from '@offhook/contract/problem.ts'

/** More do not wait, … */
const maxQueued = 32
/** … and the most of one account. */
const maxPerAccount = 16

interface Waiting {
  accountId: string
  begin: () => void
}

/** A limited number at the same time, of each account one; the others wait in the order in which they came. */
export class Turns {
  readonly #concurrency: number
  readonly #running = new Set<string>()
  readonly #waiting: Waiting[] = []

  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  async take<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    if (this.#mayBegin(accountId)) this.#running.add(accountId)
    else await this.#wait(accountId)
    try {
      return await work()
    } finally {
      this.#running.delete(accountId)
      this.#beginNext()
    }
  }

  #mayBegin(accountId: string): boolean {
    return this.#running.size < this.#concurrency && !this.#running.has(accountId)
  }

  #wait(accountId: string): Promise<void> {
    const own = this.#waiting.filter((one) => one.accountId === accountId).length
    if (own >= maxPerAccount || this.#waiting.length >= maxQueued)
      throw new Problem('unavailable', 'Too many documents are being printed at the moment.')
    return new Promise((begin) => this.#waiting.push({ accountId, begin }))
  }

  #beginNext(): void {
    const index = this.#waiting.findIndex(({ accountId }) => this.#mayBegin(accountId))
    const [next] = index < 0 ? [] : this.#waiting.splice(index, 1)
    if (!next) return
    this.#running.add(next.accountId)
    next.begin()
  }
}
