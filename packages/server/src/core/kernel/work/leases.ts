import { randomUUID } from 'node:crypto'
import type { Tables } from '../ports/store/index.ts'
import type { Lease } from '../ports/store/work/leases.ts'
import type { RecordWriter } from './write-with-retry.ts'

export const leaseMs = 15_000
const renewMs = 5_000
/** A process that is alive has renewed its lease by then. */
const suspectAfterMs = 7_000
/** Due only when its process did not put it off: then it is probably gone. */
export const leaseJob = 'lease'

/** The lease of this one is in doubt. `seen`: when it was looked at before, it said this. */
export interface LeaseUncertainty {
  owner: string
  seen?: number
}

interface LeaseDeps extends Pick<RecordWriter, 'store' | 'clock' | 'tasks' | 'onFailure'> {
  /** Other processes use the same database, and may take what this one has. */
  shared?: boolean
}

/** The calls and sessions that this process has. It says so again and again; when it does not any more, others end them. */
export class Leases {
  /** One run of one process. */
  readonly owner = randomUUID()
  readonly #deps: LeaseDeps
  /** By name: what to do when another process may have ended it. */
  readonly #held = new Map<string, () => void>()
  #renewedAt = -Infinity
  #cancelTimer: () => void = () => {}

  constructor(deps: LeaseDeps) {
    this.#deps = deps
  }

  /**
   * From now on others end this one when this process is gone, or seems to be. `work` writes it down under the name of the owner; `doubted`
   * is to find out whether it is still there. `patient`: see Store.
   */
  async hold<T>(name: string, work: (tables: Tables) => Promise<T>, doubted: () => void = () => {}, patient?: AbortSignal): Promise<T> {
    const first = this.#held.size === 0
    if (first) this.#renewLater()
    this.#held.set(name, doubted)
    return this.#silentMs < renewMs ? this.#write(work, patient) : this.#renew(work, { late: !first && this.late })
  }

  /** Other processes may have taken something when this one stood still or was cut off. */
  get shared(): boolean {
    return this.#deps.shared ?? false
  }

  /** How many calls and sessions there are. */
  get size(): number {
    return this.#held.size
  }

  /** How long ago the lease was renewed; undefined while none is needed. */
  get ageMs(): number | undefined {
    return this.#held.size > 0 && Number.isFinite(this.#renewedAt) ? this.#silentMs : undefined
  }

  /** It has ended, or is left to others. */
  release(name: string): void {
    this.#held.delete(name)
    if (this.#held.size === 0) this.#cancelTimer()
  }

  /** This process is still there, however late it says so. When it has nothing, that need not be known. */
  async renew(): Promise<void> {
    if (this.#held.size > 0) return this.#renew(() => Promise.resolve(), { late: this.late })
    const lease = { owner: this.owner, until: this.#renewedAt + leaseMs }
    this.#renewedAt = -Infinity
    if (Number.isFinite(lease.until)) await this.#write(({ leases }) => leases.remove(lease))
  }

  /** The lease was not renewed for this long. Also after the clock was set back. */
  get #silentMs(): number {
    return Math.abs(this.#deps.clock.now() - this.#renewedAt)
  }

  /** It was not renewed for so long that others may have given this process up. */
  get late(): boolean {
    return this.#silentMs >= suspectAfterMs
  }

  #renewLater(): void {
    this.#cancelTimer = this.#deps.clock.after(renewMs, () => {
      this.#renewLater()
      this.renew().catch((error: unknown) => this.#deps.onFailure(error, 'leases'))
    })
  }

  async #renew<T>(work: (tables: Tables) => Promise<T>, { late }: { late: boolean }): Promise<T> {
    const now = this.#deps.clock.now()
    const result = await this.#write(async (tables) => {
      await renewLease(tables, { owner: this.owner, until: now + leaseMs })
      return work(tables)
    })
    this.#renewedAt = now
    // The process or its machine stood still, or the database was away. Now no other process takes anything, but some may be gone.
    if (late) for (const doubted of this.#held.values()) doubted()
    return result
  }

  #write<T>(work: (tables: Tables) => Promise<T>, patient?: AbortSignal): Promise<T> {
    return this.#deps.tasks.track(this.#deps.store.write(work, patient))
  }
}

const renewLease = async (tables: Tables, lease: Lease): Promise<void> => {
  await tables.leases.renew(lease)
  await suspectLater(tables, { owner: lease.owner }, lease.until - leaseMs + suspectAfterMs)
}

export const suspectLater = (tables: Tables, doubt: LeaseUncertainty, dueAt: number): Promise<void> =>
  tables.jobs.schedule({ id: `${leaseJob}:${doubt.owner}`, kind: leaseJob, payload: doubt, dueAt })

/** When a process that no longer renews its lease was alive for sure. */
export const lastSign = ({ until }: Lease): number => until - leaseMs
