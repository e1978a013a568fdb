import { flowOperations } from '@offhook/contract/v3/ai-flows.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { changeFlow, createFlow, removeFlow, restoreFlow } from '#core/account/flows/change-flow.ts'
import { versionOf } from '#core/account/flows/change-flow.ts'
import { prepareSpeech } from '#core/account/flows/flow-languages.ts'
import { addFlowSecret, removeFlowSecret, secretsInForce } from '#core/account/flows/flow-secrets.ts'
import { coversAssistant } from '#core/account/identity/caller/grants.ts'
import { lookAtHealth, type FlowHealth } from '#core/assistant/delivery/flow-health.ts'
import type { Flow, FlowVersion } from '#core/kernel/ports/store/assistant.ts'
import { tracedOrder } from '#core/telephone/orders/traced-order.ts'
import { startFlowCall } from '#core/telephone/orders/start-call.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { toSecretElement } from '../handler/secret-element.ts'
import type { Flow as FlowElement, FlowHealth as HealthElement, FlowVersion as VersionElement } from '@offhook/contract/v3/flow-values.ts'
import type { Static } from 'typebox'
import { speechOf } from '#core/account/flows/flow-speech.ts'
import { toSettingsElement } from '#core/account/flows/flow-element.ts'
import type { Listeners } from '#core/assistant/delivery/listeners/remote-listeners.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { Delivery } from '#core/kernel/ports/store/session.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

const dayMs = 86_400_000
/** Flows per slice, up to 64 kB each. */
const flowsPerSlice = 20

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
    listFlows: async ({ caller, breathe }) => {
      const { accountId } = caller
      const names = await store.read.flows.names(accountId)
      const ids = names.map(({ id }) => id).filter((id) => coversAssistant(caller, 'CAN_GET_FLOWS', id))
      const shown = await view(accountId)
      const slice = async (from: number) => {
        const flows = await store.read.flows.list(accountId, ids.slice(from, from + flowsPerSlice))
        const healthOf = await lookAtHealth(store.read, accountId, flows)
        return flows.map((flow) => ({ ...shown(flow), health: toHealth(healthOf(flow)) }))
      }
      const items = await slice(0)
      for (let from = flowsPerSlice; from < ids.length; from += flowsPerSlice) {
        await breathe()
        items.push(...(await slice(from)))
      }
      return { items }
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
      const { flow, isKeyRemoved } = await store.write((tables) => restoreFlow(tables, deps, caller, params.aiFlowId, number))
      await prepareSpeech(speech, store.read, caller.accountId, flow.settings)
      return { version: versionOf(flow), ...(isKeyRemoved && { apiKeyRemoved: true as const }) }
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

/** Flows of one account in the API's form. */
const flowView = async (
  tables: Tables,
  { speech, listeners }: { speech: Speech; listeners: Listeners },
  accountId: string,
): Promise<(flow: Flow) => Static<typeof FlowElement>> => {
  const listenerOf = (flowId: string) => {
    const listener = listeners.of(accountId, flowId)
    return listener && { listener: { ...(listener.to !== undefined && { to: listener.to }) } }
  }
  const locale = (await tables.accounts.find(accountId))?.locale ?? 'en_US'
  return ({ id, name, settings }) => ({
    id,
    name,
    ...toSettingsElement(settings),
    apiKeySet: settings.apiKey !== undefined,
    version: settings.version ?? 1,
    ...listenerOf(id),
    speech: speechOf(speech, settings, locale),
  })
}

const toHealth = ({ state, since, lastSuccessAt, lastFailure }: FlowHealth): Static<typeof HealthElement> => ({
  state,
  ...(since !== undefined && { since: new Date(since).toISOString() }),
  ...(lastSuccessAt !== undefined && { lastSuccessAt: new Date(lastSuccessAt).toISOString() }),
  ...(lastFailure && { lastFailure: toFailure(lastFailure) }),
})

const toFailure = ({ at, status, error, id }: Delivery): NonNullable<Static<typeof HealthElement>['lastFailure']> => ({
  at: new Date(at).toISOString(),
  ...(status !== undefined && { status }),
  message: error ?? (status === undefined ? 'unknown' : `HTTP ${status}`),
  deliveryId: id,
})

const toVersion = ({ version, at, author, settings }: FlowVersion): Static<typeof VersionElement> => ({
  version,
  at: new Date(at).toISOString(),
  ...(author !== undefined && { author }),
  settings,
})
