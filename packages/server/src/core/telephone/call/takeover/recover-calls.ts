import type { Lease } from '#core/kernel/ports/store/work/leases.ts'
import type { SavedCall } from '#core/kernel/ports/store/call/running-calls.ts'
import { endLostTimelines } from '#core/telephone/timeline/end-lost-timelines.ts'
import type { Task } from '#core/kernel/work/worker.ts'
import { endLostCall, type RecoverDeps } from './end-lost-call.ts'
import { suspectLater, leaseJob, type LeaseUncertainty } from '#core/kernel/work/leases.ts'

const concurrency = 50
/** Longer than a process that is alive is silent, as seen by one that has looked twice. */
const secondPollMs = 8_000

/** At the start, on a database that belongs to one process: whatever an earlier run left open is over. */
export const recoverAll = async (deps: RecoverDeps, owner: string): Promise<void> => {
  for (const lease of await deps.store.read.leases.listOthers(owner)) await takeOver(deps, lease)
}

/** At the start, on a database that other processes use: every lease is looked at, also those that were given up on before. */
export const suspectAll = async ({ store, clock }: Pick<RecoverDeps, 'store' | 'clock'>, owner: string): Promise<void> => {
  const others = await store.read.leases.listOthers(owner)
  await store.write(async (tables) => {
    for (const other of others) await suspectLater(tables, { owner: other.owner }, clock.now())
  })
}

export interface Survivor {
  owner: string
  /** This process still has what it has. */
  renew(): Promise<void>
}

/**
 * A process that does not renew its lease any more is gone: another one goes on with its calls, or ends them and its sessions. It has to look twice: after a sleep
 * of the machine, when its clock was set, or when the database was away, processes that are alive seem to be gone, too.
 */
export const leaseJobs = (deps: RecoverDeps & { survivor: Survivor }): Record<string, Task> => ({
  [leaseJob]: async (payload) => {
    const { owner, seen } = payload as LeaseUncertainty
    const { store, clock, survivor } = deps
    if (owner === survivor.owner) return survivor.renew()
    const lease = await store.read.leases.find(owner)
    if (!lease) return
    if (lease.until === seen) return takeOver(deps, lease)
    const dueAt = Math.max(clock.now() + secondPollMs, lease.until + 1)
    await store.write((tables) => suspectLater(tables, { owner, seen: lease.until }, dueAt))
  },
})

/** Stops when the owner of the lease is alive after all: then it ends by itself what it has lost. */
const takeOver = async (deps: RecoverDeps, lease: Lease): Promise<void> => {
  const { store } = deps
  await deps.rescue?.(lease)
  const list = (): Promise<SavedCall[]> => store.read.runningCalls.listOf(lease.owner, concurrency)
  for (let calls = await list(); calls.length > 0; calls = await list()) {
    const ended = await Promise.all(calls.map((call) => endLostCall(deps, lease, call)))
    if (ended.includes(false)) return
  }
  for (const endSome of deps.leftovers) while (await endSome(deps, lease));
  while (await endLostTimelines(deps, lease));
  await store.write(({ leases }) => leases.remove(lease))
}
