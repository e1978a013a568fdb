import { randomUUID } from 'node:crypto'
import type { Bookkeeping } from '../call/sure-write.ts'
import type { OpenSession } from '../ports/store/sessions.ts'
import type { Tables } from '../ports/store/index.ts'

const leaseMs = 15_000
const renewMs = 5_000
/** Done only when nobody put it off: then whoever had sessions is gone. */
export const leaseJob = 'session.lease'

type LeaseParts = Pick<Bookkeeping, 'store' | 'clock' | 'tasks' | 'onFailure'>

/** The sessions that this process has. It says so again and again; when it does not any more, others tell their end. */
export class Leases {
  /** One run of one process. */
  readonly owner = randomUUID()
  readonly #parts: LeaseParts
  readonly #sessions = new Set<string>()
  #cancelTimer: () => void = () => {}

  constructor(parts: LeaseParts) {
    this.#parts = parts
  }

  /** From now on the end of this session will be told, whatever happens. */
  async open(session: Omit<OpenSession, 'owner' | 'leaseUntil'>): Promise<void> {
    const { owner } = this
    this.#sessions.add(session.id)
    if (this.#sessions.size === 1) this.#renewLater()
    await this.#write(async (tables, leaseUntil) => tables.sessions.open({ ...session, owner, leaseUntil }))
  }

  /** Its end was told, or is left to others. */
  release(id: string): void {
    this.#sessions.delete(id)
    if (this.#sessions.size === 0) this.#cancelTimer()
  }

  /** This process has its sessions still, however late it says so. */
  async renew(): Promise<void> {
    if (this.#sessions.size > 0) await this.#write((tables, leaseUntil) => tables.sessions.renew(this.owner, leaseUntil))
  }

  #renewLater(): void {
    this.#cancelTimer = this.#parts.clock.after(renewMs, () => {
      this.#renewLater()
      this.renew().catch((error: unknown) => this.#parts.onFailure(error, 'leases'))
    })
  }

  #write(work: (tables: Tables, leaseUntil: number) => Promise<void>): Promise<void> {
    const { store, clock, tasks } = this.#parts
    const leaseUntil = clock.now() + leaseMs
    const { owner } = this
    const write = store.write(async (tables) => {
      await work(tables, leaseUntil)
      await tables.jobs.schedule({ id: `${leaseJob}:${owner}`, kind: leaseJob, payload: { owner }, dueAt: leaseUntil + 1 })
    })
    return tasks.track(write)
  }
}
