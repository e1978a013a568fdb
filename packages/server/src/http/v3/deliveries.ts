import { Problem } from '@offhook/contract/problem.ts'
import type { Delivery as DeliveryElement, deliveryOperations } from '@offhook/contract/v3/deliveries.ts'
import type { Static } from 'typebox'
import { redeliver } from '#core/assistant/delivery/events/redeliver.ts'
import type { Delivery } from '#core/kernel/ports/store/session.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const deliveryHandlers = ({
  store,
  clock,
  wake,
}: Pick<HandlerDeps, 'store' | 'clock' | 'wake'>): Handlers<typeof deliveryOperations> => {
  const requireFlow = async (accountId: string, id: string): Promise<void> => {
    if (!(await store.read.flows.find(accountId, id))) throw new Problem('flow_not_found')
  }
  return {
    listDeliveries: async ({ caller: { accountId }, params: { aiFlowId }, query: { limit = 50, ...filter } }) => {
      await requireFlow(accountId, aiFlowId)
      const deliveries = await store.read.deliveries.list(accountId, aiFlowId, { ...filter, limit })
      return { items: deliveries.map(toElement) }
    },

    getDelivery: async ({ caller: { accountId }, params: { aiFlowId, deliveryId } }) => {
      await requireFlow(accountId, aiFlowId)
      const delivery = await store.read.deliveries.find(accountId, aiFlowId, deliveryId)
      if (!delivery) throw new Problem('delivery_not_found')
      return toElement(delivery)
    },

    redeliver: async ({ caller, params: { aiFlowId, deliveryId }, effectId }) => {
      await store.write((tables) => redeliver(tables, clock, caller, { id: effectId, flowId: aiFlowId, deliveryId }))
      wake()
    },
  }
}

const toElement = (delivery: Delivery): Static<typeof DeliveryElement> => ({
  id: delivery.id,
  sessionId: delivery.sessionId,
  eventId: delivery.eventId,
  eventType: delivery.eventType,
  sequence: delivery.sequence,
  turn: delivery.turn,
  attempt: delivery.attempt,
  channel: delivery.channel,
  at: new Date(delivery.at).toISOString(),
  durationMs: delivery.durationMs,
  state: delivery.state,
  ...(delivery.status !== undefined && { status: delivery.status }),
  requestBytes: delivery.requestBytes,
  replyBytes: delivery.replyBytes,
  actions: [...delivery.actions],
  problems: [...delivery.problems],
  ...(delivery.error !== undefined && { error: delivery.error }),
})
