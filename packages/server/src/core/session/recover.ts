import { randomUUID } from 'node:crypto'
import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'
import type { Clock } from '../ports/clock.ts'
import type { OutgoingEvent } from '../ports/endpoint.ts'
import type { Store, Tables } from '../ports/store/index.ts'
import type { OpenSession } from '../ports/store/sessions.ts'
import type { Recurring } from '../work/recurring.ts'
import type { Task } from '../work/worker.ts'
import { leaseJob } from './leases.ts'
import { writeEnd } from './write-end.ts'

const atOnce = 100
const day = 24 * 60 * 60 * 1000
/** As long as its session_end can be delivered again. */
const keptDays = 30

export interface RecoverParts {
  store: Store
  clock: Clock
  /** Something was put into the outbox. */
  wake: () => void
}

/** At the start, on a database that belongs to one process: whatever an earlier run left open is over. */
export const recoverAll = (parts: RecoverParts, owner: string): Promise<void> =>
  endEach(parts, (tables) => tables.sessions.listOfOthers(owner, atOnce))

/**
 * Whoever does not say any more that it has its sessions is gone: their end is told by another process. `renewOwn` comes first, because
 * after a sleep of the machine, or when somebody has set its clock, one's own sessions look abandoned, too.
 */
export const sessionJobs = (parts: RecoverParts & { renewOwn: () => Promise<void> }): Record<string, Task> => ({
  [leaseJob]: async () => {
    await parts.renewOwn()
    await endEach(parts, (tables) => tables.sessions.listAbandoned(parts.clock.now(), atOnce))
  },
})

export const sessionSweep: Recurring = {
  kind: 'session.sweep',
  everyMs: day,
  run: ({ sessions }, now) => sessions.removeClosedBefore(now - keptDays * day),
}

const endEach = async ({ store, clock, wake }: RecoverParts, list: (tables: Tables) => Promise<OpenSession[]>): Promise<void> => {
  for (let left = atOnce; left === atOnce;) {
    left = await store.write(async (tables) => {
      const abandoned = await list(tables)
      for (const session of abandoned) await tellEnd(tables, session, clock.now())
      return abandoned.length
    })
    if (left > 0) wake()
  }
}

const reason: SessionEndReason = 'service_failure'

const tellEnd = (tables: Tables, { id: sessionId, accountId, flowId, session, startedAt }: OpenSession, at: number): Promise<void> => {
  // Nobody knows how many events there were; no session has that many.
  const sequence = Math.ceil((at - startedAt) / 10) + 1
  const body = { type: 'session_end', session, reason } as const
  const event: OutgoingEvent = { id: randomUUID(), sessionId, accountId, sequence, turn: sequence, body }
  return writeEnd(tables, { id: sessionId, flowId, event, reason, at })
}
