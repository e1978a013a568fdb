import { randomUUID } from 'node:crypto'
import type { SessionEndReason } from '@offhook/contract/assistant/session.ts'
import type { OutgoingEvent } from '#core/kernel/ports/endpoint.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { OpenSession } from '#core/kernel/ports/store/assistant/sessions.ts'
import type { Recurring } from '#core/kernel/work/recurring.ts'
import { writeEnd } from './write-end.ts'

const day = 24 * 60 * 60 * 1000
/** As long as its session_end can be delivered again. */
const keptDays = 30

export const sessionSweep: Recurring = {
  kind: 'session.sweep',
  everyMs: day,
  run: ({ sessions }, now) => sessions.removeClosedBefore(now - keptDays * day),
}

const reason: SessionEndReason = 'service_failure'

/** Part of a transaction: the end of a session whose process is gone. */
export const endLostSession = (tables: Tables, { id: sessionId, accountId, flowId, session, startedAt }: OpenSession, at: number) => {
  // Nobody knows how many events there were; no session has that many.
  const sequence = Math.ceil((at - startedAt) / 10) + 1
  const body = { type: 'session_end', session, reason } as const
  const event: OutgoingEvent = { id: randomUUID(), sessionId, accountId, sequence, turn: sequence, body }
  return writeEnd(tables, { id: sessionId, flowId, event, reason, at })
}
