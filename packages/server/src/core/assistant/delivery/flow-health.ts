import type { healthStates } from '@offhook/contract/v3/flow-values.ts'
import type { Delivery } from '#core/kernel/ports/store/session.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

export interface FlowHealth {
  state: (typeof healthStates)[number]
  since?: number
  lastSuccessAt?: number
  lastFailure?: Delivery
}

/** Consecutive failures after which a flow counts as failing. */
const inARow = 3

/** Recent delivery health of these flows; the number of queries does not depend on the number of flows. */
export const lookAtHealth = async (tables: Tables, accountId: string, flows: readonly Flow[]): Promise<(flow: Flow) => FlowHealth> => {
  const hasAssistant = flows.some(({ settings }) => settings.endpoint === 'assistant')
  const published = new Set(hasAssistant ? await tables.assistants.rolledOut(accountId) : [])
  const ready = flows.filter((flow) => hasEndpoint(flow, published))
  const latest = await tables.deliveries.latest(
    accountId,
    ready.map(({ id }) => id),
  )
  const byFlow = Map.groupBy(latest.filter(reportsEndpoint), ({ flowId }) => flowId)
  const judged = ready.map(async (flow) => [flow.id, await judge(tables, accountId, flow, byFlow.get(flow.id) ?? [])] as const)
  const known = new Map<string, FlowHealth>(await Promise.all(judged))
  return ({ id }) => known.get(id) ?? { state: 'INCOMPLETE' }
}

/** Queries the start of the failure only for failing flows. */
const judge = async (tables: Tables, accountId: string, flow: Flow, latest: readonly Delivery[]): Promise<FlowHealth> => {
  const success = latest.find(({ state }) => state === 'delivered')
  const lastFailure = latest.find(failed)
  const isFailing = flow.settings.disabledBecause !== undefined || (latest.length > 0 && latest.slice(0, inARow).every(failed))
  const since = isFailing ? await tables.deliveries.firstFailure(accountId, flow.id, success?.id) : undefined
  return {
    state: isFailing ? 'FAILING' : success ? 'OK' : 'UNTESTED',
    ...(since !== undefined && { since }),
    ...(success && { lastSuccessAt: success.at }),
    ...(lastFailure && { lastFailure }),
  }
}

/** Whether the flow has an endpoint to notify. `published`: flows whose assistant has a version. */
const hasEndpoint = ({ id, settings }: Flow, published: ReadonlySet<string>): boolean =>
  settings.endpoint === 'assistant' ? published.has(id) : settings.webhookUrl !== undefined || settings.websocketUrl !== undefined

const failed = ({ state }: Delivery): boolean => state === 'failed' || state === 'dead'

/** Excludes superseded deliveries, developer listeners and the fallback endpoint. */
const reportsEndpoint = ({ state, channel }: Delivery): boolean =>
  state !== 'superseded' && channel !== 'listener' && channel !== 'fallback'
