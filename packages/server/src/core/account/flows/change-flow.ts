import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { Flow, FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { checkSettings, requireHeaderValue } from './check-settings.ts'
import { requireSeen, noteChange, noteFirst } from './flow-changes.ts'
import { forgetDocuments } from './forget-documents.ts'
import { newFlowSecret } from './flow-secrets.ts'
import { settingsFromElement, type FlowInput } from './flow-element.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'
import { lockFlow } from './lock-flow.ts'

export interface FlowDeps {
  clock: Clock
  vault: Vault
  speech: Speech
}

export const createFlow = async (
  tables: Tables,
  deps: FlowDeps,
  caller: UserCaller,
  id: string,
  input: FlowInput,
): Promise<{ flow: Flow; secret: string }> => {
  const { clock, vault } = deps
  const { kept, secret } = newFlowSecret(vault, clock.now())
  const flow = await readFlow(tables, deps, caller, { id, name: '', settings: { secrets: [kept] } }, input)
  await tables.flows.insert(caller.accountId, flow, clock.now())
  await noteFirst(tables, caller, flow, clock.now())
  await auditByUser(tables, clock, caller, 'flow.create', id)
  return { flow, secret }
}

/** `ifMatch`: of which version the customer knows. */
export const changeFlow = async (
  tables: Tables,
  deps: FlowDeps,
  caller: UserCaller,
  id: string,
  input: FlowInput,
  ifMatch?: string,
): Promise<Flow> => {
  const present = await lockFlow(tables, caller.accountId, id)
  requireSeen(present, ifMatch)
  return putFlow(tables, deps, caller, present, input, 'flow.change')
}

/** The settings as they were in that version, as far as they are still possible; the key and the secrets stay. */
export const restoreFlow = async (tables: Tables, deps: FlowDeps, caller: UserCaller, id: string, version: number): Promise<Flow> => {
  const present = await lockFlow(tables, caller.accountId, id)
  const kept = await tables.flowVersions.find(caller.accountId, id, version)
  if (!kept) throw new Problem('flow_version_not_found')
  return putFlow(tables, deps, caller, present, kept.settings, 'flow.restore')
}

const putFlow = async (
  tables: Tables,
  deps: FlowDeps,
  caller: UserCaller,
  present: Flow,
  input: FlowInput,
  action: 'flow.change' | 'flow.restore',
): Promise<Flow> => {
  const now = deps.clock.now()
  const flow = await noteChange(tables, caller, present, await readFlow(tables, deps, caller, present, input), now)
  await tables.flows.update(caller.accountId, flow, now)
  await auditByUser(tables, deps.clock, caller, action, flow.id)
  return flow
}

export const removeFlow = async (tables: Tables, clock: Clock, caller: UserCaller, id: string): Promise<void> => {
  await lockFlow(tables, caller.accountId, id) // so that no number is led to it at the same moment
  const [leading] = await tables.numbers.listByFlow(caller.accountId, id)
  if (leading) throw new Problem('conflict', 'A number still leads to this flow; route it elsewhere first.')
  const [ruled] = await tables.routingRules.listLeadingTo(caller.accountId, id)
  if (ruled !== undefined) throw new Problem('conflict', `The rules of ${ruled} still lead to this flow; change them first.`)
  await tables.flows.remove(caller.accountId, id)
  await tables.routingRules.remove(caller.accountId, id)
  await tables.results.removeOfFlow(caller.accountId, id)
  await forgetDocuments(tables, await tables.knowledge.list(caller.accountId, id), clock.now())
  await auditByUser(tables, clock, caller, 'flow.delete', id)
}

/** The endpoint is gone for good, or has failed for too long: nothing is sent there until the customer changes the flow. */
export const disableFlow = async (tables: Tables, clock: Clock, accountId: string, id: string, because: string): Promise<void> => {
  await tables.accounts.lock(accountId)
  const flow = await tables.flows.find(accountId, id)
  if (!flow || flow.settings.disabledBecause !== undefined) return
  await tables.flows.update(accountId, { ...flow, settings: { ...flow.settings, disabledBecause: because } }, clock.now())
  await tables.audit.append(accountId, { at: clock.now(), actor: 'service', action: 'flow.disable', target: id, detail: { because } })
}

/** Everything is set anew but for the secrets, and the key unless it is given. */
const readFlow = async (
  tables: Tables,
  { vault, speech }: FlowDeps,
  { accountId }: UserCaller,
  present: Flow,
  { name, apiKey, ...input }: FlowInput,
): Promise<Flow> => {
  if (name.trim() === '') throw Problem.field('name', 'is required')
  const account = await tables.accounts.find(accountId)
  if (!account) throw new Problem('account_not_found')
  const settings = await checkSettings(tables, speech, account, settingsFromElement(input), present.settings)
  const { secrets } = present.settings
  return { id: present.id, name: name.trim(), settings: { ...settings, ...keyOf(vault, present, apiKey), ...(secrets && { secrets }) } }
}

const keyOf = (vault: Vault, { settings }: Flow, input: string | null | undefined): Pick<FlowSettings, 'apiKey'> => {
  if (input === undefined) return settings.apiKey === undefined ? {} : { apiKey: settings.apiKey }
  if (input === null) return {}
  requireHeaderValue('apiKey', input)
  return { apiKey: vault.seal(input) }
}
