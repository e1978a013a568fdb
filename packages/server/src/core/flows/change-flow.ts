import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller.ts'
import type { Clock } from '../ports/clock.ts'
import type { Flow } from '../ports/store/flows.ts'
import type { Tables } from '../ports/store/index.ts'
import { isWebAddress } from '../webhook/web-address.ts'

export interface FlowWish {
  name: string
  webhookUrl?: string
  phone_number?: string
}

export const createFlow = async (tables: Tables, clock: Clock, caller: UserCaller, id: string, wish: FlowWish): Promise<Flow> => {
  const flow = await readFlow(tables, caller.accountId, id, wish)
  await tables.flows.insert(caller.accountId, flow, clock.now())
  await note(tables, clock, caller, 'flow.create', id)
  return flow
}

export const changeFlow = async (tables: Tables, clock: Clock, caller: UserCaller, id: string, wish: FlowWish): Promise<void> => {
  if (!(await tables.flows.find(caller.accountId, id))) throw new Problem('flow_not_found')
  await tables.flows.update(caller.accountId, await readFlow(tables, caller.accountId, id, wish), clock.now())
  await note(tables, clock, caller, 'flow.change', id)
}

export const removeFlow = async (tables: Tables, clock: Clock, caller: UserCaller, id: string): Promise<void> => {
  await tables.accounts.lock(caller.accountId) // so that no number is led to it at the same moment
  if (!(await tables.flows.find(caller.accountId, id))) throw new Problem('flow_not_found')
  const [leading] = await tables.numbers.listByFlow(caller.accountId, id)
  if (leading) throw new Problem('conflict', 'A number still leads to this flow; route it elsewhere first.')
  await tables.flows.remove(caller.accountId, id)
  await note(tables, clock, caller, 'flow.delete', id)
}

const readFlow = async (tables: Tables, accountId: string, id: string, { name, webhookUrl, phone_number }: FlowWish): Promise<Flow> => {
  if (name.trim() === '') throw Problem.field('name', 'is required')
  if (webhookUrl !== undefined && !isWebAddress(webhookUrl)) throw Problem.field('webhookUrl', 'must be an http or https address')
  if (phone_number !== undefined) await requireOwnNumber(tables, accountId, phone_number)
  const settings = { ...(webhookUrl !== undefined && { webhookUrl }), ...(phone_number !== undefined && { phoneNumber: phone_number }) }
  return { id, name: name.trim(), settings }
}

/** A caller ID that is not the account's own would be a lie to the people called. */
const requireOwnNumber = async (tables: Tables, accountId: string, digits: string): Promise<void> => {
  if (!/^[1-9]\d{1,14}$/.test(digits)) throw Problem.field('phone_number', 'must be the digits of an E.164 number without the plus sign')
  const number = await tables.numbers.findByE164(accountId, `+${digits}`)
  if (number?.state !== 'ACTIVE') throw Problem.field('phone_number', 'is no active number of this account')
}

const note = (tables: Tables, clock: Clock, caller: UserCaller, action: string, target: string): Promise<void> =>
  tables.audit.append(caller.accountId, { at: clock.now(), actor: `user:${caller.userId}`, action, target })
