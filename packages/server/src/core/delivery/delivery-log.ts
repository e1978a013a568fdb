import { randomBytes } from 'node:crypto'
import type { Clock } from '../ports/clock.ts'
import type { Delivery, DeliveryAmendment } from '../ports/store/deliveries.ts'
import type { Store } from '../ports/store/index.ts'

/** So long an entry may wait for others to be written with it. */
const collectMs = 500
const atOnce = 200
/** More than this is never held: when the database is away for so long, the log has a gap. */
const mostWaiting = 10_000
const mostProblems = 32
const longestMessage = 300

export interface DeliveryLogParts {
  store: Store
  clock: Clock
  onError: (error: unknown) => void
}

interface Entry {
  delivery: Delivery
}

interface Amendment extends DeliveryAmendment {
  eventId: string
}

/** Writes down every attempt to tell a customer something, beside the conversation and never in its way. */
export class DeliveryLog {
  readonly #parts: DeliveryLogParts
  #waiting: (Entry | Amendment)[] = []
  #cancelTimer: (() => void) | undefined
  #writing: Promise<void> = Promise.resolve()
  #lastId = { at: 0, count: 0 }
  /** Several processes may write at the same moment. */
  readonly #ownName = randomBytes(7).toString('hex')
  #closed = false

  constructor(parts: DeliveryLogParts) {
    this.#parts = parts
  }

  /** Ids that are made later are greater; the first twelve digits are the time. */
  newId(): string {
    const at = Math.max(this.#parts.clock.now(), this.#lastId.at)
    const count = at === this.#lastId.at ? this.#lastId.count + 1 : 0
    this.#lastId = { at, count }
    return `${at.toString(16).padStart(12, '0')}${count.toString(16).padStart(6, '0')}${this.#ownName}`
  }

  record(delivery: Delivery): void {
    this.#put({ delivery: { ...delivery, problems: bounded(delivery.problems) } })
  }

  amend(eventId: string, { actions, problems }: DeliveryAmendment): void {
    if (actions.length > 0 || problems.length > 0) this.#put({ eventId, actions, problems: bounded(problems) })
  }

  /** Everything until now is written, or could not be. */
  async flush(): Promise<void> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    this.#writing = this.#writing.then(() => this.#writeAll())
    await this.#writing
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.flush()
    this.#cancelTimer?.()
  }

  #put(what: Entry | Amendment): void {
    this.#waiting.push(what)
    if (this.#waiting.length > mostWaiting) this.#waiting.shift()
    this.#schedule()
  }

  #schedule(): void {
    if (!this.#closed) this.#cancelTimer ??= this.#parts.clock.after(collectMs, () => void this.flush())
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, atOnce)
      try {
        await this.#write(batch)
      } catch (error) {
        this.#parts.onError(error)
        this.#waiting = [...batch, ...this.#waiting].slice(-mostWaiting)
        return this.#schedule()
      }
    }
  }

  #write(batch: readonly (Entry | Amendment)[]): Promise<void> {
    return this.#parts.store.write(async ({ deliveries }) => {
      await deliveries.insert(batch.flatMap((one) => ('delivery' in one ? [one.delivery] : [])))
      for (const one of batch) if ('eventId' in one) await deliveries.amend(one.eventId, one)
    })
  }
}

const bounded = (problems: Delivery['problems']): Delivery['problems'] =>
  problems.slice(0, mostProblems).map((problem) => ({ ...problem, message: problem.message.slice(0, longestMessage) }))
