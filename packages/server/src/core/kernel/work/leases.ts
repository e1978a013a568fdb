import { randomUUID } from 'node:crypto'
import type { Tables } from '../ports/store/index.ts'
import type { CallHold } from '../ports/store/call.ts'
import type { Lease } from '../ports/store/work.ts'
import type { RecordWriter } from './write-with-retry.ts'

export const leaseMs = 15_000
const renewMs = 5_000
/**
 * An owner that cannot renew its lease stops sending this long before the end. `until` is a time of the owner's clock, and other nodes compare
 * it with theirs: they may differ by almost as much.
 */
const marginMs = 3_000
/** A living process has renewed its lease by then. */
const suspectAfterMs = 7_000
/** Runs only if its process did not postpone it: the process is probably gone. */
export const leaseJob = 'lease'

/** Lease in doubt. `seen`: its `until` at the previous check. */
export interface LeaseUncertainty {
  owner: string
  seen?: number
}

interface LeaseDeps extends Pick<RecordWriter, 'store' | 'clock' | 'tasks' | 'onFailure'> {
  /** Other nodes share the database and may take over calls of this one. */
  shared?: boolean
  /** Silence of the lease that other nodes have to await before they take calls (`Ownership`). Default 0. */
  doubtMs?: () => number
}

/** Leases of this process's calls and sessions. Renewed periodically; other nodes end them when the lease expires. */
export class Leases {
  /** One run of one process. */
  readonly owner = randomUUID()
  readonly #deps: LeaseDeps
  /** By name: called when another node may have ended it. */
  readonly #held = new Map<string, () => void>()
  #renewedAt = -Infinity
  /** Monotonic time at which the last successful renewal began. Infinity: the store may have nothing of this process. */
  #sureAt = Infinity
  #cancelTimer: () => void = () => {}

  constructor(deps: LeaseDeps) {
    this.#deps = deps
  }

  /**
   * Lets other nodes end the named work if this process is gone or appears to be. `work` stores it under the owner's name; `doubted` must
   * check whether it still exists. `patient`: see Store.
   */
  async hold<T>(name: string, work: (tables: Tables) => Promise<T>, doubted: () => void = () => {}, patient?: AbortSignal): Promise<T> {
    const first = this.#held.size === 0
    if (first) this.#renewLater()
    if (first && this.late) this.#sureAt = Infinity
    this.#held.set(name, doubted)
    return this.#silentMs < renewMs ? this.#write(work, patient) : this.#renew(work, { late: !first && this.late })
  }

  /** Other nodes may have taken work over during a stall or a disconnect. */
  get shared(): boolean {
    return this.#deps.shared ?? false
  }

  /** Number of calls and sessions. */
  get size(): number {
    return this.#held.size
  }

  /** Milliseconds since the last renewal; undefined while no lease is needed. */
  get ageMs(): number | undefined {
    return this.#held.size > 0 && Number.isFinite(this.#renewedAt) ? this.#silentMs : undefined
  }

  /** Monotonic time at which this process stops sending unless it renews its lease before. */
  get endsAt(): number {
    return this.#sureAt + leaseMs - marginMs
  }

  /** Renews the lease, then reads which calls this process owns. Undefined if it holds no work. */
  async prove(): Promise<readonly CallHold[] | undefined> {
    if (this.#held.size === 0) return undefined
    return this.#renew(({ runningCalls }) => runningCalls.holdsOf(this.owner), { late: this.late })
  }

  /** Called when it has ended, or is left to other nodes. */
  release(name: string): void {
    this.#held.delete(name)
    if (this.#held.size === 0) this.#cancelTimer()
  }

  /** Renews the lease, however late. Removes it if this process holds no work. */
  async renew(): Promise<void> {
    if (this.#held.size > 0) return this.#renew(() => Promise.resolve(), { late: this.late })
    const lease = { owner: this.owner, until: this.#renewedAt + leaseMs }
    this.#renewedAt = -Infinity
    if (Number.isFinite(lease.until)) await this.#write(({ leases }) => leases.remove(lease))
  }

  /** Milliseconds since the last renewal. Absolute, since the clock may be set back. */
  get #silentMs(): number {
    return Math.abs(this.#deps.clock.now() - this.#renewedAt)
  }

  /** Overdue for so long that other nodes may have given this process up. */
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
    const { clock, doubtMs } = this.#deps
    const [now, begunAt] = [clock.now(), clock.elapsed()]
    const result = await this.#write(async (tables) => {
      await renewLease(tables, { owner: this.owner, until: now + leaseMs, doubtMs: doubtMs?.() ?? 0 })
      return work(tables)
    })
    this.#renewedAt = now
    this.#sureAt = begunAt
    // The process or its machine stalled, or the database was unreachable. No other node takes work over now, but some may be gone.
    if (late) for (const doubted of this.#held.values()) doubted()
    return result
  }

  #write<T>(work: (tables: Tables) => Promise<T>, patient?: AbortSignal): Promise<T> {
    return this.#deps.tasks.track(this.#deps.store.write(work, patient))
  }
}

const renewLease = async (tables: Tables, lease: Required<Lease>): Promise<void> => {
  await tables.leases.renew(lease)
  await suspectLater(tables, { owner: lease.owner }, lease.until - leaseMs + suspectAfterMs)
}

export const suspectLater = (tables: Tables, doubt: LeaseUncertainty, dueAt: number): Promise<void> =>
  tables.jobs.schedule({ id: `${leaseJob}:${doubt.owner}`, kind: leaseJob, payload: doubt, dueAt })

/** Time at which the owner of an expired lease was certainly alive. */
export const lastSign = ({ until }: Lease): number => until - leaseMs
