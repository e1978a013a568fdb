import { Problem } from '@offhook/contract/problem.ts'
import { FairQueue } from '#core/kernel/work/fair-queue.ts'

const waiting = { maxWaiting: 32, maxWaitingPerKey: 16 }

/** Runs a limited number concurrently, one per account; the others wait, and accounts take turns. */
export class Turns {
  readonly #queue: FairQueue

  constructor(concurrency: number) {
    this.#queue = new FairQueue({ maxRunning: concurrency, maxRunningPerKey: 1, ...waiting })
  }

  async take<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const done = this.#queue.run(accountId, work)
    if (!done) throw new Problem('unavailable', 'Too many documents are being printed at the moment.')
    return done
  }
}
