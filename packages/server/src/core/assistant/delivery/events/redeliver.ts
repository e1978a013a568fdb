import { Problem } from '@offhook/contract/problem.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Delivery } from '#core/kernel/ports/store/session.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { SessionEndMessage } from './deliver-session-end.ts'
import { disableFlow } from '#core/account/flows/change-flow.ts'

interface Redelivery {
  /** Id of the new outbox message. */
  id: string
  flowId: string
  deliveryId: string
}

/** Puts the session_end into the outbox again, byte for byte the same. */
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

/** Rejects a redelivery while another is pending. session_end is the last event of a session, so the latest attempt shows its state. */
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

/** The endpoint is permanently gone: disables the flow and notifies the users of the account. */
export const disableEndpoint = async (tables: Tables, clock: Clock, accountId: string, flowId: string): Promise<void> => {
  const flow = await tables.flows.find(accountId, flowId)
  if (!flow || flow.settings.disabledBecause !== undefined) return
  const because = 'the endpoint answered 410 (gone)'
  await disableFlow(tables, clock, accountId, flowId, because)
  const payload = { flowId, flowName: flow.name, because }
  await tables.appEvents.insert(accountId, { type: 'FLOW', name: 'flow_endpoint_disabled', payload }, clock.now())
}
