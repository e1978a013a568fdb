import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { Flow, FlowSettings, StoredSettings } from '#core/kernel/ports/store/assistant.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { originOf } from '#core/kernel/webhook/web-address.ts'
import { checkSettings, requireHeaderValue } from './check-settings.ts'
import { newFlowSecret } from './flow-secrets.ts'
import { settingsFromElement, type FlowInput, toSettingsElement } from './flow-element.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import { lockFlow } from './lock-flow.ts'

export interface FlowDeps {
  clock: Clock
  vault: Vault
  speech: Speech
}

const maxFlows = 1_000

export const createFlow = async (
  tables: Tables,
  deps: FlowDeps,
  caller: UserCaller,
  id: string,
  input: FlowInput,
): Promise<{ flow: Flow; secret: string }> => {
  const { clock, vault } = deps
  if ((await tables.flows.names(caller.accountId)).length >= maxFlows)
    throw new Problem('conflict', `An account has at most ${maxFlows} flows.`)
  const { kept, secret } = newFlowSecret(vault, clock.now())
  const flow = await readFlow(tables, deps, caller, { id, name: '', settings: { secrets: [kept] } }, input)
  await tables.flows.insert(caller.accountId, flow, clock.now())
  await noteFirst(tables, caller, flow, clock.now())
  await auditByUser(tables, clock, caller, 'flow.create', id)
  return { flow, secret }
}

/** `ifMatch`: version that the client knows. */
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

/** Restores the settings of that version, as far as they are still valid. Keeps the secrets, and the key unless it would go to another origin. */
export const restoreFlow = async (
  tables: Tables,
  deps: FlowDeps,
  caller: UserCaller,
  id: string,
  version: number,
): Promise<{ flow: Flow; isKeyRemoved: boolean }> => {
  const present = await lockFlow(tables, caller.accountId, id)
  const kept = await tables.flowVersions.find(caller.accountId, id, version)
  if (!kept) throw new Problem('flow_version_not_found')
  const isKeyRemoved = present.settings.apiKey !== undefined && leadsElsewhere(settingsFromElement(kept.settings), present.settings)
  const input = isKeyRemoved ? { ...kept.settings, apiKey: null } : kept.settings
  return { flow: await putFlow(tables, deps, caller, present, input, 'flow.restore'), isKeyRemoved }
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
  await lockFlow(tables, caller.accountId, id) // prevents a number from being routed to it concurrently
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

/** Disables a flow whose endpoint is gone or has failed for too long; sends nothing there until the customer changes the flow. */
export const disableFlow = async (tables: Tables, clock: Clock, accountId: string, id: string, because: string): Promise<void> => {
  await tables.accounts.lock(accountId)
  const flow = await tables.flows.find(accountId, id)
  if (!flow || flow.settings.disabledBecause !== undefined) return
  await tables.flows.update(accountId, { ...flow, settings: { ...flow.settings, disabledBecause: because } }, clock.now())
  await tables.audit.append(accountId, { at: clock.now(), actor: 'service', action: 'flow.disable', target: id, detail: { because } })
}

/** Replaces all settings except the secrets, and the key unless it is given. The key is bound to the origins that it was entered for. */
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
  if (apiKey === undefined && present.settings.apiKey !== undefined && leadsElsewhere(settings, present.settings))
    throw Problem.field('apiKey', 'must be entered again, or be null: an address of the flow leads to another host')
  return { id: present.id, name: name.trim(), settings: { ...settings, ...keyOf(vault, present, apiKey), ...(secrets && { secrets }) } }
}

const keyOf = (vault: Vault, { settings }: Flow, input: string | null | undefined): Pick<FlowSettings, 'apiKey'> => {
  if (input === undefined) return settings.apiKey === undefined ? {} : { apiKey: settings.apiKey }
  if (input === null) return {}
  requireHeaderValue('apiKey', input)
  return { apiKey: vault.seal(input) }
}

/** Origins that receive the key. */
const originsOf = ({ webhookUrl, websocketUrl, fallbackUrl }: FlowSettings): string[] =>
  [webhookUrl, websocketUrl, fallbackUrl].flatMap((address) => (address === undefined ? [] : [originOf(address)]))

const leadsElsewhere = (settings: FlowSettings, present: FlowSettings): boolean =>
  originsOf(settings).some((origin) => !originsOf(present).includes(origin))

export const eraseDocumentJob = 'knowledge.erase'

/** Detaches the documents from the flow and erases their content, which may be large, in the background. */
export const forgetDocuments = async (
  { knowledge, jobs }: Pick<Tables, 'knowledge' | 'jobs'>,
  documents: readonly { id: string; accountId: string; flowId: string }[],
  at: number,
): Promise<void> => {
  for (const { id, accountId, flowId } of documents) {
    await knowledge.remove(accountId, flowId, id)
    await jobs.schedule({ id: `${eraseDocumentJob}:${id}`, kind: eraseDocumentJob, payload: { documentId: id }, dueAt: at })
  }
}

/** Maximum versions stored per flow. */
const maxVersions = 100

/** Counts the changes of a flow's settings, from 1. */
export const versionOf = ({ settings: { version = 1 } }: Flow): number => version

/** Settings stored with a version: without keys and secrets, which a restore leaves unchanged. */
const keptSettings = ({ name, settings }: Flow): StoredSettings => {
  const { disabledBecause: _because, ...element } = toSettingsElement(settings)
  return { name, ...element }
}

/** `If-Match` (RFC 9110 §13.1.1): rejects a change based on an outdated version. Skipped without the header. */
const requireSeen = (flow: Flow, ifMatch: string | undefined): void => {
  if (ifMatch === undefined) return
  const seen = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//, '').replaceAll('"', ''))
  if (!seen.includes('*') && !seen.includes(String(versionOf(flow)))) throw new Problem('flow_changed')
}

/** Stores the changed flow as a new version, and the current one if it was saved before versions existed. */
const noteChange = async (tables: Tables, { accountId, userId }: UserCaller, present: Flow, changed: Flow, at: number): Promise<Flow> => {
  const version = versionOf(present)
  const [before, after] = [keptSettings(present), keptSettings(changed)]
  if (JSON.stringify(before) === JSON.stringify(after)) return withVersion(changed, version)
  await tables.flowVersions.insertPresent(accountId, present.id, { version, settings: before })
  await tables.flowVersions.insert(accountId, present.id, { version: version + 1, settings: after, author: userId, at }, maxVersions)
  return withVersion(changed, version + 1)
}

const noteFirst = (tables: Tables, { accountId, userId }: UserCaller, flow: Flow, at: number): Promise<void> =>
  tables.flowVersions.insert(
    accountId,
    flow.id,
    { version: versionOf(flow), settings: keptSettings(flow), author: userId, at },
    maxVersions,
  )

const withVersion = (flow: Flow, version: number): Flow => ({ ...flow, settings: { ...flow.settings, version } })
