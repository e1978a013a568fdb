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
const looked = 10

/** How the endpoint of a flow took what it was told lately. One short query as long as it answers. */
export const healthOf = async (tables: Tables, accountId: string, flow: Flow): Promise<FlowHealth> => {
  if (!(await hasEndpoint(tables, accountId, flow))) return { state: 'INCOMPLETE' }
  const latest = (limit: number, state?: Delivery['state']): Promise<Delivery[]> =>
    tables.deliveries.list(accountId, flow.id, { limit, ...(state && { state }) })
  const judged = (await latest(looked)).filter(tellsOfEndpoint)
  const success = judged.find(({ state }) => state === 'delivered') ?? (await latest(1, 'delivered')).find(tellsOfEndpoint)
  const lastFailure = judged.find(failed) ?? (await latest(1, 'failed')).find(tellsOfEndpoint)
  const isFailing = flow.settings.disabledBecause !== undefined || (judged.length > 0 && judged.slice(0, inARow).every(failed))
  const since = isFailing ? await tables.deliveries.firstFailure(accountId, flow.id, success?.id) : undefined
  return {
    state: isFailing ? 'FAILING' : success ? 'OK' : 'UNTESTED',
    ...(since !== undefined && { since }),
    ...(success && { lastSuccessAt: success.at }),
    ...(lastFailure && { lastFailure }),
  }
}

/** Whether there is anybody to be told anything. */
const hasEndpoint = async (tables: Tables, accountId: string, { id, settings }: Flow): Promise<boolean> => {
  if (settings.endpoint === 'assistant') return (await tables.assistants.rollout(accountId, id)) !== undefined
  return settings.webhookUrl !== undefined || settings.websocketUrl !== undefined
}

const failed = ({ state }: Delivery): boolean => state === 'failed' || state === 'dead'

/** What nobody waited for any more, what a developer's machine took and what was said to the spare endpoint do not. */
const tellsOfEndpoint = ({ state, channel }: Delivery): boolean =>
  state !== 'superseded' && channel !== 'listener' && channel !== 'fallback'
