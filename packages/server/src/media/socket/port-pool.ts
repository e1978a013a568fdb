import { randomInt } from 'node:crypto'

interface PortRange {
  first: number
  last: number
}

interface PortPoolOptions {
  /** Milliseconds that a port rests after a call, so that late packets do not reach the next one. */
  restMs?: number
  now?: () => number
  /** Called when no port is left for a call. */
  exhausted?: () => void
}

export interface PortFigures {
  /** Ports of the range. */
  all: number
  free: number
  resting: number
  taken: number
  /** Ports reused before the end of their rest. */
  hurried: number
  /** Requests without a free port. */
  exhausted: number
}

/** No port is left. */
export class MediaFull extends Error {
  constructor() {
    super('no RTP port is free')
    this.name = 'MediaFull'
  }
}

interface Resting {
  port: number
  until: number
}

/**
 * Even ports of a range, in random order: an unpredictable port is harder to attack. A port rests after its use; when no other is left, the
 * longest-resting one is used early, because a late packet of another call is better than a rejected call.
 */
export class PortPool {
  readonly #free: number[] = []
  /** In the order of their release. */
  readonly #resting: Resting[] = []
  /** Ports in use by other programs. */
  readonly #foreign: Resting[] = []
  readonly #all: number
  readonly #restMs: number
  readonly #now: () => number
  readonly #onExhausted: () => void
  #taken = 0
  #hurried = 0
  #exhausted = 0

  constructor({ first, last }: PortRange, { restMs = 30_000, now = () => performance.now(), exhausted = () => {} }: PortPoolOptions = {}) {
    for (let port = first + (first % 2); port + 1 <= last; port += 2) this.#free.push(port)
    this.#all = this.#free.length
    this.#restMs = restMs
    this.#now = now
    this.#onExhausted = exhausted
  }

  get figures(): PortFigures {
    this.#wake()
    return {
      all: this.#all,
      free: this.#free.length,
      resting: this.#resting.length,
      taken: this.#taken,
      hurried: this.#hurried,
      exhausted: this.#exhausted,
    }
  }

  /** Throws MediaFull. */
  take(): number {
    this.#wake()
    const port = this.#takeFree() ?? this.#hurry()
    if (port === undefined) {
      this.#exhausted++
      this.#onExhausted()
      throw new MediaFull()
    }
    this.#taken++
    return port
  }

  /** Starts the rest of a port. */
  release(port: number): void {
    this.#taken--
    this.#resting.push({ port, until: this.#now() + this.#restMs })
  }

  /** Another program uses it: not retried before its time, or the search for a port would never end. */
  avoid(port: number): void {
    this.#taken--
    this.#foreign.push({ port, until: this.#now() + this.#restMs })
  }

  #takeFree(): number | undefined {
    if (this.#free.length === 0) return undefined
    const index = randomInt(this.#free.length)
    const port = this.#free[index]
    const last = this.#free.pop()
    if (port !== last && last !== undefined) this.#free[index] = last
    return port
  }

  #hurry(): number | undefined {
    const port = this.#resting.shift()?.port
    if (port !== undefined) this.#hurried++
    return port
  }

  #wake(): void {
    const now = this.#now()
    for (const queue of [this.#resting, this.#foreign]) while (queue[0] && queue[0].until <= now) this.#free.push(queue.shift()?.port ?? 0)
  }
}
