import { randomUUID } from 'node:crypto'
import type { Tables } from '../ports/store/index.ts'
import type { Lease } from '../ports/store/leases.ts'
import type { Bookkeeping } from './sure-write.ts'

export const leaseMs = 15_000
const renewMs = 5_000
/** Somebody who is there has been heard of by then. */
const doubtMs = 9_000
/** Done only when nobody put it off: then whoever had calls or sessions is probably gone. */
export const leaseJob = 'lease'

/** The lease of this one is in doubt. `seen`: when it was looked at before, it said this. */
export interface LeaseDoubt {
  owner: string
  seen?: number
}

type LeaseParts = Pick<Bookkeeping, 'store' | 'clock' | 'tasks' | 'onFailure'>

/** The calls and sessions that this process has. It says so again and again; when it does not any more, others end them. */
export class Leases {
  /** One run of one process. */
  readonly owner = randomUUID()
  readonly #parts: LeaseParts
  readonly #held = new Set<string>()
  #renewedAt = -Infinity
  #cancelTimer: () => void = () => {}

  constructor(parts: LeaseParts) {
    this.#parts = parts
  }

  /** From now on others end this one when this process is gone. `work` writes it down under the name of the owner. */
  async hold<T>(name: string, work: (tables: Tables) => Promise<T>): Promise<T> {
    if (this.#held.size === 0) this.#renewLater()
    this.#held.add(name)
    return this.#write(work, this.#parts.clock.now() - this.#renewedAt >= renewMs)
  }

  /** It has ended, or is left to others. */
  release(name: string): void {
    this.#held.delete(name)
    if (this.#held.size === 0) this.#cancelTimer()
  }

  /** This process is still there, however late it says so. When it has nothing, that need not be known. */
  async renew(): Promise<void> {
    if (this.#held.size > 0) return this.#write(() => Promise.resolve(), true)
    const lease = { owner: this.owner, until: this.#renewedAt + leaseMs }
    this.#renewedAt = -Infinity
    if (Number.isFinite(lease.until)) await this.#parts.tasks.track(this.#parts.store.write(({ leases }) => leases.remove(lease)))
  }

  #renewLater(): void {
    this.#cancelTimer = this.#parts.clock.after(renewMs, () => {
      this.#renewLater()
      this.renew().catch((error: unknown) => this.#parts.onFailure(error, 'leases'))
    })
  }

  async #write<T>(work: (tables: Tables) => Promise<T>, renewed: boolean): Promise<T> {
    const { store, clock, tasks } = this.#parts
    const now = clock.now()
    const write = store.write(async (tables) => {
      if (renewed) await renewLease(tables, { owner: this.owner, until: now + leaseMs })
      return work(tables)
    })
    const result = await tasks.track(write)
    if (renewed) this.#renewedAt = Math.max(this.#renewedAt, now)
    return result
  }
}

const renewLease = async (tables: Tables, lease: Lease): Promise<void> => {
  await tables.leases.renew(lease)
  await doubtLater(tables, { owner: lease.owner }, lease.until - leaseMs + doubtMs)
}

export const doubtLater = (tables: Tables, doubt: LeaseDoubt, dueAt: number): Promise<void> =>
  tables.jobs.schedule({ id: `${leaseJob}:${doubt.owner}`, kind: leaseJob, payload: doubt, dueAt })

/** When somebody who has not been heard of any more was alive for sure. */
export const lastSign = ({ until }: Lease): number => until - leaseMs
