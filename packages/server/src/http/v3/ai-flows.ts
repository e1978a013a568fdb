import { flowOperations } from '@offhook/contract/v3/ai-flows.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { changeFlow, createFlow, removeFlow, restoreFlow } from '#core/account/flows/change-flow.ts'
import { versionOf } from '#core/account/flows/flow-changes.ts'
import { prepareSpeech } from '#core/account/flows/flow-languages.ts'
import { addFlowSecret, removeFlowSecret, secretsInForce } from '#core/account/flows/flow-secrets.ts'
import { lookAtHealth } from '#core/assistant/delivery/health/flow-health.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import { tracedOrder } from '#core/telephone/orders/traced-order.ts'
import { startFlowCall } from '#core/telephone/orders/flow-call.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'
import { toSecretElement } from '../handler/secret-element.ts'
import { flowView, toHealth, toVersion } from './flow-view.ts'

const dayMs = 86_400_000

export const flowHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'tracer' | 'clock' | 'vault' | 'speech' | 'listeners' | 'orders' | 'wake'>,
): Handlers<typeof flowOperations> => {
  const { store, clock, speech } = deps
  const view = (accountId: string) => flowView(store.read, deps, accountId)
  const find = async (accountId: string, id: string): Promise<Flow> => {
    const flow = await store.read.flows.find(accountId, id)
    if (!flow) throw new Problem('flow_not_found')
    return flow
  }
  return {
    listFlows: async ({ caller: { accountId } }) => {
      const [flows, shown] = [await store.read.flows.list(accountId), await view(accountId)]
      const healthOf = await lookAtHealth(store.read, accountId, flows)
      return { items: flows.map((flow) => ({ ...shown(flow), health: toHealth(healthOf(flow)) })) }
    },

    getFlowHealth: async ({ caller: { accountId }, params }) => {
      const flow = await find(accountId, params.aiFlowId)
      const last24h = await store.read.deliveries.tally(accountId, flow.id, clock.now() - dayMs)
      const healthOf = await lookAtHealth(store.read, accountId, [flow])
      return { ...toHealth(healthOf(flow)), last24h }
    },

    createFlow: async ({ caller, body, effectId }) => {
      const { flow, secret } = await store.write((tables) => createFlow(tables, deps, caller, effectId, body))
      await prepareSpeech(speech, store.read, caller.accountId, flow.settings)
      return { ...(await view(caller.accountId))(flow), secret }
    },

    getFlow: async ({ caller, params, setHeader }) => {
      const flow = await find(caller.accountId, params.aiFlowId)
      setHeader('etag', `"${versionOf(flow)}"`)
      return (await view(caller.accountId))(flow)
    },

    changeFlow: async ({ caller, params, body: { version: _version, health: _health, ...input }, ifMatch, setHeader }) => {
      const flow = await store.write((tables) => changeFlow(tables, deps, caller, params.aiFlowId, input, ifMatch))
      setHeader('etag', `"${versionOf(flow)}"`)
      await prepareSpeech(speech, store.read, caller.accountId, flow.settings)
    },

    listFlowVersions: async ({ caller: { accountId }, params }) => {
      const flow = await find(accountId, params.aiFlowId)
      const versions = await store.read.flowVersions.list(accountId, flow.id)
      return { items: versions.map(toVersion) }
    },

    restoreFlowVersion: async ({ caller, params }) => {
      const number = /^[1-9]\d{0,8}$/.test(params.version) ? Number(params.version) : 0
      const flow = await store.write((tables) => restoreFlow(tables, deps, caller, params.aiFlowId, number))
      await prepareSpeech(speech, store.read, caller.accountId, flow.settings)
      return { version: versionOf(flow) }
    },

    deleteFlow: ({ caller, params }) => store.write((tables) => removeFlow(tables, clock, caller, params.aiFlowId)),

    listFlowSecrets: async ({ caller, params }) => {
      const { settings } = await find(caller.accountId, params.aiFlowId)
      return { items: secretsInForce(settings, clock.now()).map(toSecretElement) }
    },

    createFlowSecret: async ({ caller, params }) => {
      const { kept, secret } = await store.write((tables) => addFlowSecret(tables, deps, caller, params.aiFlowId))
      return { ...toSecretElement(kept), secret }
    },

    deleteFlowSecret: ({ caller, params }) =>
      store.write((tables) => removeFlowSecret(tables, clock, caller, params.aiFlowId, params.secretId)),

    callFlow: async ({ caller, params, body, effectId, trace: incoming }) => {
      const { id: operation, path: route } = flowOperations.callFlow
      await tracedOrder(deps, { sessionId: effectId, operation, route, incoming }, (trace) =>
        startFlowCall(deps, caller, effectId, { flowId: params.aiFlowId, ...body, trace }),
      )
      return { sessionId: effectId }
    },
  }
}
