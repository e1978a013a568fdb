export interface FairQueueLimits {
  /** Maximum running over all keys. */
  maxRunning?: number
  /** Maximum running per key, such as an account. */
  maxRunningPerKey: number
  maxWaiting?: number
  maxWaitingPerKey?: number
}

/** Handle of running or waiting work. */
export interface Place {
  /** Withdraws waiting work, ends running work. A second call is a no-op. */
  leave(): void
}

interface Ticket {
  key: string
  begin: () => void
  state: 'waiting' | 'running' | 'left'
}

/** Limits concurrency per key and in total. Waiting work starts round-robin by key. */
export class FairQueue {
  readonly #limits: Required<FairQueueLimits>
  readonly #running = new Map<string, number>()
  readonly #waiting = new RoundRobin<Ticket>()
  #total = 0

  constructor(limits: FairQueueLimits) {
    this.#limits = { maxRunning: Infinity, maxWaiting: Infinity, maxWaitingPerKey: Infinity, ...limits }
  }

  /** True if no work of any key can start now. */
  get isFull(): boolean {
    return this.#total >= this.#limits.maxRunning
  }

  /** Calls `begin` as soon as there is capacity, synchronously if there is some now. Undefined: the queue is full. */
  enter(key: string, begin = (): void => {}): Place | undefined {
    const { maxWaiting, maxWaitingPerKey } = this.#limits
    const ticket: Ticket = { key, begin, state: 'waiting' }
    if (this.#hasCapacity(key)) this.#begin(ticket)
    else if (this.#waiting.size >= maxWaiting || this.#waiting.sizeOf(key) >= maxWaitingPerKey) return undefined
    else this.#waiting.put(key, ticket)
    return { leave: () => this.#leave(ticket) }
  }

  /** Runs `work` in its turn. Undefined: the queue is full. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> | undefined {
    const turn = Promise.withResolvers<T>()
    const place = this.enter(key, () => turn.resolve(work()))
    return place && turn.promise.finally(() => place.leave())
  }

  #hasCapacity(key: string): boolean {
    return !this.isFull && (this.#running.get(key) ?? 0) < this.#limits.maxRunningPerKey
  }

  #begin(ticket: Ticket): void {
    ticket.state = 'running'
    this.#running.set(ticket.key, (this.#running.get(ticket.key) ?? 0) + 1)
    this.#total++
    ticket.begin()
  }

  #leave(ticket: Ticket): void {
    const { key, state } = ticket
    ticket.state = 'left'
    if (state === 'waiting') return this.#waiting.remove(key, ticket)
    if (state === 'left') return
    const left = (this.#running.get(key) ?? 1) - 1
    if (left === 0) this.#running.delete(key)
    else this.#running.set(key, left)
    this.#total--
    const next = this.#waiting.take((one) => this.#hasCapacity(one))
    if (next) this.#begin(next)
  }
}

/** Waiting items by key. Keys take turns: each yields one item before any yields its second. */
export class RoundRobin<T> {
  /** Keys with items, next turn first. */
  readonly #lanes = new Map<string, T[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  sizeOf(key: string): number {
    return this.#lanes.get(key)?.length ?? 0
  }

  put(key: string, item: T): void {
    const lane = this.#lanes.get(key)
    if (lane) lane.push(item)
    else this.#lanes.set(key, [item])
    this.#size++
  }

  /** Next item among the keys that may take their turn. */
  take(mayTake: (key: string) => boolean = () => true): T | undefined {
    for (const [key, lane] of this.#lanes) {
      if (!mayTake(key)) continue
      const item = lane.shift()
      this.#lanes.delete(key)
      if (lane.length > 0) this.#lanes.set(key, lane)
      this.#size--
      return item
    }
    return undefined
  }

  remove(key: string, item: T): void {
    const lane = this.#lanes.get(key)
    const place = lane?.indexOf(item) ?? -1
    if (!lane || place < 0) return
    lane.splice(place, 1)
    if (lane.length === 0) this.#lanes.delete(key)
    this.#size--
  }
}
