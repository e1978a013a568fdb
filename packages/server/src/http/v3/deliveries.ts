import { Problem } from '@offhook/contract/problem.ts'
import type { Delivery as DeliveryElement, deliveryOperations } from '@offhook/contract/v3/deliveries.ts'
import type { Static } from 'typebox'
import { redeliver } from '../../core/delivery/redeliver.ts'
import type { Delivery } from '../../core/ports/store/deliveries.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const deliveryHandlers = ({ store, clock, wake }: Parts): Handlers<typeof deliveryOperations> => {
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

const toElement = ({ at, status, error, actions, problems, ...rest }: Delivery): Static<typeof DeliveryElement> => {
  const { id, sessionId, eventId, eventType, sequence, turn, attempt, channel, durationMs, state, requestBytes, replyBytes } = rest
  return {
    ...{ id, sessionId, eventId, eventType, sequence, turn, attempt, channel, durationMs, state, requestBytes, replyBytes },
    at: new Date(at).toISOString(),
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
    actions: [...actions],
    problems: [...problems],
  }
}
