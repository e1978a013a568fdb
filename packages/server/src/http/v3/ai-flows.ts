import type { Flow as FlowElement, flowOperations } from '@offhook/contract/v3/ai-flows.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Static } from 'typebox'
import { changeFlow, createFlow, removeFlow } from '../../core/flows/change-flow.ts'
import type { Flow } from '../../core/ports/store/flows.ts'
import { startFlowCall } from '../../core/sessions/flow-call.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const flowHandlers = (parts: Parts): Handlers<typeof flowOperations> => {
  const { store, clock } = parts
  return {
    listFlows: async ({ caller }) => ({ items: (await store.read.flows.list(caller.accountId)).map(toFlowElement) }),

    createFlow: async ({ caller, body, effectId }) =>
      toFlowElement(await store.write((tables) => createFlow(tables, clock, caller, effectId, body))),

    getFlow: async ({ caller, params }) => {
      const flow = await store.read.flows.find(caller.accountId, params.aiFlowId)
      if (!flow) throw new Problem('flow_not_found')
      return toFlowElement(flow)
    },

    changeFlow: ({ caller, params, body }) => store.write((tables) => changeFlow(tables, clock, caller, params.aiFlowId, body)),

    deleteFlow: ({ caller, params }) => store.write((tables) => removeFlow(tables, clock, caller, params.aiFlowId)),

    callFlow: async ({ caller, params, body, effectId }) => {
      await startFlowCall(parts, caller, effectId, { flowId: params.aiFlowId, ...body })
      return { sessionId: effectId }
    },
  }
}

const toFlowElement = ({ id, name, settings: { webhookUrl, phoneNumber } }: Flow): Static<typeof FlowElement> => ({
  id,
  name,
  ...(webhookUrl !== undefined && { webhookUrl }),
  ...(phoneNumber !== undefined && { phone_number: phoneNumber }),
})
