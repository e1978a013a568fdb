import type { healthStates } from '@offhook/contract/v3/flow-values.ts'
import type { Delivery } from '#core/kernel/ports/store/assistant/deliveries.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

export interface FlowHealth {
  state: (typeof healthStates)[number]
  since?: number
  lastSuccessAt?: number
  lastFailure?: Delivery
}

/** So many failures in a row are no accident any more. */
const inARow = 3

/** How the endpoints of these flows took what they were told lately, in the same few questions however many flows there are. */
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

/** Only of a flow that fails something more is asked: since when. */
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

/** Whether there is anybody to be told anything. `published`: flows whose assistant has a version. */
const hasEndpoint = ({ id, settings }: Flow, published: ReadonlySet<string>): boolean =>
  settings.endpoint === 'assistant' ? published.has(id) : settings.webhookUrl !== undefined || settings.websocketUrl !== undefined

const failed = ({ state }: Delivery): boolean => state === 'failed' || state === 'dead'

/** What nobody waited for any more, what a developer's machine took and what was said to the spare endpoint do not. */
const reportsEndpoint = ({ state, channel }: Delivery): boolean =>
  state !== 'superseded' && channel !== 'listener' && channel !== 'fallback'
