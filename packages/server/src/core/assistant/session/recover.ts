import { randomUUID } from 'node:crypto'
import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'
import type { OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Lease } from '#core/kernel/ports/store/work/leases.ts'
import type { OpenSession } from '#core/kernel/ports/store/assistant/sessions.ts'
import type { Recurring } from '#core/kernel/work/recurring.ts'
import { writeEnd } from './write-end.ts'

const day = 24 * 60 * 60 * 1000
/** As long as its session_end can be delivered again. */
const retentionDays = 30

export const sessionSweep: Recurring = {
  kind: 'session.sweep',
  everyMs: day,
  run: ({ sessions }, now) => sessions.removeClosedBefore(now - retentionDays * day),
}

const reason: SessionEndReason = 'service_failure'

/** Part of a transaction: the end of a session whose process is gone. */
const endLostSession = (tables: Tables, open: OpenSession, at: number) => {
  const { id: sessionId, owner, accountId, flowId, session, startedAt, assistant } = open
  // How many events there were is not known; no session has this many.
  const sequence = Math.ceil((at - startedAt) / 10) + 1
  const body = { type: 'session_end', session, reason } as const
  const event: OutgoingEvent = { id: randomUUID(), sessionId, accountId, sequence, turn: sequence, body }
  const counted = { durationMs: Math.max(0, Math.round(at - startedAt)), endReason: reason, turns: 0, interruptions: 0 }
  return writeEnd(tables, { id: sessionId, owner, flowId, event, reason, at, assistant, result: { accountId, startedAt, counted } })
}

/** Part of the transaction that ends a call whose process is gone. */
export const endLostSessionOf = async (tables: Tables, callId: string, at: number): Promise<void> => {
  const session = await tables.sessions.findOpen(callId)
  if (session) await endLostSession(tables, session, at)
}

interface EndSessionsDeps {
  store: Store
  clock: Clock
  /** Something was put into the outbox. */
  wake: () => void
}

const concurrency = 50

/** Sessions of a process that is gone whose calls left nothing in the store. True when there may be more. */
export const endLostSessions = async ({ store, clock, wake }: EndSessionsDeps, lease: Lease): Promise<boolean> => {
  const ended = await store.write(async (tables) => {
    if (!(await tables.leases.lock(lease))) return 0
    const left = await tables.sessions.listOpenOf(lease.owner, concurrency)
    for (const session of left) await endLostSession(tables, session, clock.now())
    return left.length
  })
  if (ended > 0) wake()
  return ended === concurrency
}
