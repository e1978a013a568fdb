import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Targets that can have rules. */
export interface Target {
  id: string
  kind: 'line' | 'group' | 'number' | 'flow'
  /** Display name. */
  name: string
  /** Owner of the line, or the user that the number is routed to. */
  owner: string | undefined
  /** The line or group itself; for a number, its routing target. */
  endpointId: string | undefined
}

export const targetOf = async (tables: Tables, accountId: string, id: string): Promise<Target> => {
  const target = await find(tables, accountId, id)
  if (!target) throw new Problem('target_not_found')
  return target
}

const find = async (tables: Tables, accountId: string, id: string): Promise<Target | undefined> => {
  if (/^p\d+$/.test(id)) {
    const line = await tables.phonelines.find(accountId, id)
    return line && { id, kind: 'line', name: line.alias, owner: line.owner, endpointId: id }
  }
  if (/^g\d+$/.test(id)) {
    const group = await tables.groups.find(accountId, id)
    return group && { id, kind: 'group', name: group.alias, owner: undefined, endpointId: id }
  }
  const number = await tables.numbers.find(accountId, id)
  // A quick dial is an alias of its line: the line's rules apply.
  if (number?.e164 !== undefined)
    return { id, kind: 'number', name: number.e164, owner: number.endpointOwner, endpointId: number.endpointId }
  const flow = await tables.flows.find(accountId, id)
  return flow && { id, kind: 'flow', name: flow.name, owner: undefined, endpointId: undefined }
}

export const namesOfTargets = async (tables: Tables, accountId: string, ids: readonly string[]): Promise<string[]> => {
  const targets = await Promise.all(ids.map((id) => find(tables, accountId, id)))
  return targets.map((target, index) => target?.name ?? ids[index] ?? '')
}
