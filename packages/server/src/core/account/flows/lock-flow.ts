import { Problem } from '@offhook/contract/problem.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** A flow is one document: changing a part locks the whole. */
export const lockFlow = async (tables: Tables, accountId: string, id: string): Promise<Flow> => {
  await tables.accounts.lock(accountId)
  const flow = await tables.flows.find(accountId, id)
  if (!flow) throw new Problem('flow_not_found')
  return flow
}
