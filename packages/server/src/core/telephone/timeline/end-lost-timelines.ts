import type { Clock } from '#core/kernel/ports/clock.ts'
import type { StoredTimeline } from '#core/kernel/ports/store/call/timelines.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Lease } from '#core/kernel/ports/store/work/leases.ts'
import { addNext } from './late-entries.ts'
import type { TimelineEvent } from './noted.ts'

const concurrency = 50

const lost: TimelineEvent = { kind: 'call', state: 'ended', by: 'service', reason: 'service_failure', cause: 'failed' }

/** Ends what a process noted that is gone. True when there may be more. */
export const endLostTimelines = async ({ store, clock }: { store: Store; clock: Clock }, lease: Lease): Promise<boolean> => {
  const ended = await store.write(async (tables) => {
    if (!(await tables.leases.lock(lease))) return 0
    const open = await tables.timelines.listOpenOf(lease.owner, concurrency)
    for (const row of open) await end(tables, row, Math.round(clock.now()))
    return open.length
  })
  return ended === concurrency
}

/** Part of the transaction that ends a call that was taken from another process: as this account sees it. */
export const endLostTimeline = async (tables: Tables, accountId: string, callId: string, at: number): Promise<void> => {
  const row = await tables.timelines.lock(accountId, callId)
  if (row && row.closedAt === undefined) await end(tables, row, Math.round(at))
}

const end = async (tables: Tables, row: StoredTimeline, at: number): Promise<void> => {
  const closed = { ...row, changedAt: at, endedAt: row.endedAt ?? at, closedAt: at }
  if (row.endedAt === undefined) await addNext(tables, closed, lost)
  else await tables.timelines.write([{ row: closed, isNew: false, rowChanged: true, pieces: [] }])
}
