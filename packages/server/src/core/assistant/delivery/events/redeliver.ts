import { Problem } from '@offhook/contract/problem.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Delivery } from '#core/kernel/ports/store/assistant/deliveries.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { SessionEndMessage } from './deliver-session-end.ts'

export interface Redelivery {
  /** Names the new message in the outbox. */
  id: string
  flowId: string
  deliveryId: string
}

/** Puts the end of a session into the outbox again; the event is the same, to the last byte. */
export const redeliver = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  { id, flowId, deliveryId }: Redelivery,
): Promise<void> => {
  const { accountId } = caller
  if (!(await tables.flows.find(accountId, flowId))) throw new Problem('flow_not_found')
  const delivery = await tables.deliveries.find(accountId, flowId, deliveryId)
  if (!delivery) throw new Problem('delivery_not_found')
  requireRepeatable(delivery)
  await requireNotUnderWay(tables, delivery)
  const at = clock.now()
  const isBack = await tables.outbox.revive(delivery.eventId, at)
  if (!isBack) await tables.outbox.put({ id, accountId, kind: 'session_end', payload: await messageOf(tables, delivery), at })
  await auditByUser(tables, clock, caller, 'flow.redeliver', flowId)
}

const requireRepeatable = ({ eventType, state }: Delivery): void => {
  if (eventType !== 'session_end') throw new Problem('conflict', 'Only the end of a session can be delivered again.')
  if (state !== 'dead' && state !== 'delivered')
    throw new Problem('conflict', 'It is still being tried, or another attempt has delivered it.')
}

/** Of an older redelivery: nothing is told later in a session than its end, so the latest attempt says it. */
const requireNotUnderWay = async ({ deliveries }: Tables, { accountId, flowId, sessionId, eventId }: Delivery): Promise<void> => {
  const [latest] = await deliveries.list(accountId, flowId, { sessionId, limit: 1 })
  if (latest?.eventId === eventId && latest.state === 'failed') throw new Problem('conflict', 'It is already being delivered again.')
}

const messageOf = async (tables: Tables, delivery: Delivery): Promise<SessionEndMessage> => {
  const { accountId, flowId, sessionId, eventId, sequence, turn } = delivery
  const ended = await tables.sessions.findEnded(accountId, sessionId)
  if (!ended) throw new Problem('conflict', 'The session was too long ago.')
  const body = { type: 'session_end', session: ended.session, reason: ended.reason } as const
  const { assistant } = ended
  return { flowId, event: { id: eventId, sessionId, accountId, sequence, turn, body }, assistant }
}
