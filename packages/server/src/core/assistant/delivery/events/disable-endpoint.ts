import { disableFlow } from '#core/account/flows/change-flow.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** The endpoint said that it is gone for good: nothing more is sent there, and the users of the account are told. */
export const disableEndpoint = async (tables: Tables, clock: Clock, accountId: string, flowId: string): Promise<void> => {
  const flow = await tables.flows.find(accountId, flowId)
  if (!flow || flow.settings.disabledBecause !== undefined) return
  const because = 'the endpoint answered 410 (gone)'
  await disableFlow(tables, clock, accountId, flowId, because)
  const payload = { flowId, flowName: flow.name, because }
  await tables.appEvents.insert(accountId, { type: 'FLOW', name: 'flow_endpoint_disabled', payload }, clock.now())
}
