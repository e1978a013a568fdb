import type { MessageRequest } from '../pdu/pdu.ts'

/** Messages of the far end: a limited number is worked on at a time, a few more wait. */
export class MessageQueue {
  readonly #concurrency: number
  readonly #backlog: number
  readonly #work: (request: MessageRequest) => Promise<void>
  readonly #waiting: MessageRequest[] = []
  #running = 0
  #idle: (() => void)[] = []

  /** `work` must not throw. */
  constructor(concurrency: number, backlog: number, work: (request: MessageRequest) => Promise<void>) {
    this.#concurrency = concurrency
    this.#backlog = backlog
    this.#work = work
  }

  /** false: there is no room for it. */
  take(request: MessageRequest): boolean {
    if (this.#running < this.#concurrency) {
      void this.#run(request)
      return true
    }
    if (this.#waiting.length >= this.#backlog) return false
    this.#waiting.push(request)
    return true
  }

  /** Resolves when all that were taken are done. */
  async idle(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  /** What still waits is forgotten: no response could be sent any more. */
  clear(): void {
    this.#waiting.length = 0
  }

  async #run(first: MessageRequest): Promise<void> {
    this.#running += 1
    for (let request: MessageRequest | undefined = first; request; request = this.#waiting.shift()) await this.#work(request)
    this.#running -= 1
    if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }
}
