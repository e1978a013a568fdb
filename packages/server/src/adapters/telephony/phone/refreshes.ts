import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Refresh, Registration } from '#core/kernel/ports/store/device/registrations.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'

export interface RefreshesOptions {
  clock: Clock
  store: Store
  /** How long the first of many may wait for others: less than the time after which phones repeat a request (T1). */
  windowMs: number
}

const maxConcurrent = 500

interface Waiting {
  refresh: Refresh
  answer: PromiseWithResolvers<Registration[] | undefined>
}

/**
 * Phones that say again where they are, as most of what they send: one statement for all that come within the window. Each is answered when it is
 * written, so that a phone that was told so is found whatever happens to this process.
 */
export class Refreshes {
  readonly #options: RefreshesOptions
  #waiting: Waiting[] = []
  #isWriting = false
  #writtenAt = -Infinity

  constructor(options: RefreshesOptions) {
    this.#options = options
  }

  /** All bindings of the device; undefined when something has changed: then nothing was written. */
  renew(refresh: Refresh): Promise<Registration[] | undefined> {
    const answer = Promise.withResolvers<Registration[] | undefined>()
    this.#waiting.push({ refresh, answer })
    if (!this.#isWriting) void this.#writeAll()
    return answer.promise
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      await this.#window()
      this.#writtenAt = this.#options.clock.elapsed()
      await this.#write(this.#waiting.splice(0, maxConcurrent))
    }
    this.#isWriting = false
  }

  /** One that comes alone does not wait. */
  async #window(): Promise<void> {
    const { clock, windowMs } = this.#options
    const wait = this.#writtenAt + windowMs - clock.elapsed()
    if (wait > 0) await new Promise<void>((resolve) => void clock.after(wait, resolve))
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const { clock, store } = this.#options
    try {
      const now = clock.now()
      const list = batch.map(({ refresh }) => refresh)
      const renewed = await store.write(({ devices }) => devices.refresh(list, now))
      for (const [index, { answer }] of batch.entries()) answer.resolve(renewed[index])
    } catch (error) {
      for (const { answer } of batch) answer.reject(error)
    }
  }
}
