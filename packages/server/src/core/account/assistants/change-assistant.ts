import { Problem } from '@offhook/contract/problem.ts'
import type { AssistantSettings, ModelSettings } from '@offhook/contract/v3/assistant-values.ts'
import { lockFlow } from '../flows/lock-flow.ts'
import type { FlowDeps } from '../flows/change-flow.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { AssistantDraft, StoredAssistant, Flow } from '#core/kernel/ports/store/assistant.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { placeholderWarnings, variableNames } from './placeholders.ts'
import { headersOf, openSecrets, sealSecrets } from './secrets.ts'
import { originOf } from '#core/kernel/webhook/web-address.ts'
import { requireTimezone } from '#core/kernel/local-day.ts'
import { requireAddress, requireHeaderValue, languageTag } from '../flows/check-settings.ts'
import { mayTransferTo, parseTarget, readTarget } from '../flows/transfer-targets.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'

interface AssistantInput {
  settings: AssistantSettings
  /** Revision that the client read. */
  revision?: number
}

/** Replaces the whole draft, except omitted secrets whose address keeps its origin. */
export const changeAssistant = async (
  tables: Tables,
  { clock, vault }: Pick<FlowDeps, 'clock' | 'vault'>,
  caller: UserCaller,
  flowId: string,
  input: AssistantInput,
): Promise<{ revision: number; warnings: string[] }> => {
  const { accountId } = caller
  const flow = await lockFlow(tables, accountId, flowId)
  const account = await tables.accounts.find(accountId)
  if (!account) throw new Problem('account_not_found')
  const present = await tables.assistants.draft(accountId, flowId)
  const read = present?.revision ?? 0
  if (input.revision !== undefined && input.revision !== read)
    throw new Problem('conflict', `Somebody else has changed the assistant in the meantime: it is at revision ${read} now.`)
  const checked = await checkAssistant(tables, account, flow, input.settings)
  requireSecretsForOrigins(checked, present?.settings, caller.leash !== undefined)
  const settings = sealSecrets(vault, checked, present?.settings)
  requireHeaderValues(settings)
  const revision = read + 1
  await tables.assistants.putDraft(accountId, flowId, { settings, revision, changedAt: clock.now() })
  const { disclosure } = settings
  const detail = disclosure?.mode === 'off' ? { disclosure: 'off', reason: disclosure.reason } : undefined
  await auditByUser(tables, clock, caller, 'assistant.change', flowId, detail)
  const unknown = placeholderWarnings(openSecrets(vault, settings), await variableNames(tables, flow, accountId))
  return { revision, warnings: [...warningsOf(checked), ...unknown] }
}

export const removeAssistant = async (tables: Tables, clock: Clock, caller: UserCaller, flowId: string): Promise<void> => {
  const { accountId } = caller
  const flow = await lockFlow(tables, accountId, flowId)
  await findDraft(tables, accountId, flowId)
  if (flow.settings.endpoint === 'assistant') throw new Problem('conflict', 'The flow uses its assistant. Set its endpoint to own first.')
  await tables.assistants.remove(accountId, flowId)
  await auditByUser(tables, clock, caller, 'assistant.delete', flowId)
}

/** A header without a value keeps its stored value, so a stored value must exist. */
const requireHeaderValues = (settings: AssistantSettings): void => {
  for (const [field, headers] of headersOf(settings))
    for (const [at, { value }] of headers.entries())
      if (value === undefined) throw Problem.field(`${field}/${at}/value`, 'is required: there is none yet that could be kept')
}

export const findDraft = async (tables: Tables, accountId: string, flowId: string): Promise<AssistantDraft> => {
  if (!(await tables.flows.find(accountId, flowId))) throw new Problem('flow_not_found')
  const draft = await tables.assistants.draft(accountId, flowId)
  if (!draft) throw new Problem('assistant_not_set')
  return draft
}

const requireCalendar = async ({ calendars }: Tables, accountId: string, { calendar: rules }: Tools): Promise<void> => {
  if (!rules) return
  const calendar = await calendars.find(accountId, rules.calendar)
  if (!calendar) throw Problem.field('tools/calendar/calendar', 'is no calendar of this account')
  const strange = rules.services?.find((id) => calendar.settings.services.every((one) => one.id !== id))
  if (strange !== undefined) throw Problem.field('tools/calendar/services', `names ${strange}, which is no service of the calendar`)
}

/** Settings that work but are probably a mistake. */
const warningsOf = (settings: AssistantSettings): string[] =>
  [
    !settings.model && 'Without a model the assistant says its greeting and follows its keys, and nothing else.',
    settings.model && settings.prompt.trim() === '' && 'The prompt is empty: the model is told nothing about what it is for.',
    settings.disclosure?.mode === 'off' && 'Callers are not told that they talk to a machine; in many countries they must be.',
    settings.tools?.send_sms &&
      !sendsAnything(settings.tools.send_sms) &&
      'tools.send_sms has neither templates nor free_text: nothing can be sent.',
  ].filter((warning) => typeof warning === 'string')

const sendsAnything = ({ templates = [], free_text = false }: NonNullable<NonNullable<AssistantSettings['tools']>['send_sms']>): boolean =>
  templates.length > 0 || free_text

/** Settings with an address and with secrets that are sent to it. */
interface SecretHolder extends Pick<ModelSettings, 'headers'> {
  url: string
  api_key?: string | null
}

interface Place {
  field: string
  input: SecretHolder
  stored: SecretHolder
}

/**
 * A stored secret is bound to the origin that it was entered for. Another origin gets it only from a caller who enters it again; `null` removes a key.
 * A caller with a leash cannot read secrets and must not redirect them, so it cannot change such an address.
 */
const requireSecretsForOrigins = (input: AssistantSettings, stored: StoredAssistant | undefined, isLeashed: boolean): void => {
  for (const place of movedPlaces(input, stored)) {
    if (isLeashed && hasSecret(place.stored))
      throw new Problem(
        'leash_not_allowed',
        `${place.field}/url has a stored secret: a token with a leash must not lead it to another host.`,
      )
    requireSecretsAgain(place)
  }
}

/** Settings whose address now has another origin. */
const movedPlaces = (input: AssistantSettings, stored: StoredAssistant | undefined): Place[] => {
  const tools = (input.tools?.http ?? []).map((tool, at) => {
    const before = stored?.tools?.http?.find(({ name }) => name === tool.name)
    return [`tools/http/${at}`, tool, before] as const
  })
  const places: (readonly [string, SecretHolder | undefined, SecretHolder | undefined])[] = [
    ['model', input.model, stored?.model],
    ['model/second', input.model?.second, stored?.model?.second],
    ['knowledge/embeddings', input.knowledge?.embeddings, stored?.knowledge?.embeddings],
    ...tools,
  ]
  return places.flatMap(([field, now, before]) =>
    now && before && originOf(now.url) !== originOf(before.url) ? [{ field, input: now, stored: before }] : [],
  )
}

const hasSecret = ({ api_key, headers = [] }: SecretHolder): boolean => typeof api_key === 'string' || headers.length > 0

const requireSecretsAgain = ({ field, input, stored }: Place): void => {
  const why = `${field}/url leads to another host, and the stored value is not sent there`
  if (typeof stored.api_key === 'string' && input.api_key === undefined)
    throw Problem.field(`${field}/api_key`, `must be entered again, or be null: ${why}`)
  for (const [at, { value }] of (input.headers ?? []).entries())
    if (value === undefined) throw Problem.field(`${field}/headers/${at}/value`, `must be entered again: ${why}`)
}

/** Taken only by assistants with a calendar. */
const calendarTools = ['find_times', 'hold_time', 'book_time', 'my_bookings', 'move_booking', 'cancel_booking']
/** Built-in tools of the model. */
const ownTools = ['hang_up', 'transfer', 'send_sms', 'take_message', 'collect_digits', 'look_up']
const maxSchemaCharacters = 16_000

type Tools = NonNullable<AssistantSettings['tools']>

/** Returns the settings in canonical form. Throws a Problem that names the field when a setting cannot work. */
const checkAssistant = async (tables: Tables, account: Account, flow: Flow, settings: AssistantSettings): Promise<AssistantSettings> => {
  const { model, languages, time_zone, disclosure, tools, knowledge, result } = settings
  requireAddress('model/url', model?.url)
  requireAddress('model/second/url', model?.second?.url)
  requireAddress('knowledge/embeddings/url', knowledge?.embeddings?.url)
  requireAddress('result/webhook_url', result?.webhook_url)
  if (time_zone !== undefined) requireTimezone(time_zone, 'time_zone')
  requireSecrets(settings)
  requireSchema('result/fields', result?.fields)
  if (disclosure?.mode === 'off' && disclosure.reason === undefined)
    throw Problem.field('disclosure/reason', 'is required when callers are not told that they talk to a machine')
  checkKeys(settings)
  return {
    ...settings,
    ...(languages && { languages: languages.map((tag, index) => languageTag(`languages/${index}`, tag)) }),
    ...(tools && { tools: await checkTools(tables, account, flow, tools) }),
  }
}

const requireSecrets = (settings: AssistantSettings): void => {
  const { model, knowledge } = settings
  const keys = { 'model/api_key': model, 'model/second/api_key': model?.second, 'knowledge/embeddings/api_key': knowledge?.embeddings }
  for (const [field, holder] of Object.entries(keys)) if (typeof holder?.api_key === 'string') requireHeaderValue(field, holder.api_key)
  for (const [field, headers] of headersOf(settings)) {
    requireDifferent(
      field,
      headers.map(({ name }) => name.toLowerCase()),
    )
    for (const [at, { value }] of headers.entries()) if (value !== undefined) requireHeaderValue(`${field}/${at}/value`, value)
  }
}

const checkKeys = ({ keys = [], tools }: AssistantSettings): void => {
  requireDifferent(
    'keys',
    keys.map(({ digit }) => digit),
  )
  const targets = (tools?.transfer ?? []).map(({ name }) => name)
  for (const [at, { does, text, transfer_to: to }] of keys.entries()) {
    if (does === 'say' && text === undefined) throw Problem.field(`keys/${at}/text`, 'is required: it is what the key says')
    if (does === 'transfer' && (to === undefined || !targets.includes(to)))
      throw Problem.field(`keys/${at}/transfer_to`, 'must be the name of one of tools/transfer')
  }
}

const checkTools = async (tables: Tables, account: Account, flow: Flow, tools: Tools): Promise<Tools> => {
  const { http = [], transfer = [], send_sms: sms, take_message: message } = tools
  await requireCalendar(tables, account.id, tools)
  const own = [...ownTools, ...(tools.calendar ? calendarTools : [])]
  requireDifferent('tools/http', [...own, ...http.map(({ name }) => name)], 'must not have the name of another tool')
  requireDifferent(
    'tools/transfer',
    transfer.map(({ name }) => name),
  )
  requireDifferent(
    'tools/send_sms/templates',
    (sms?.templates ?? []).map(({ name }) => name),
  )
  for (const [at, { url, parameters }] of http.entries()) {
    requireAddress(`tools/http/${at}/url`, url)
    requireSchema(`tools/http/${at}/parameters`, parameters)
  }
  if (message?.email !== undefined && !/^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(message.email))
    throw Problem.field('tools/take_message/email', 'must be an e-mail address')
  const targets: Tools['transfer'] = []
  for (const [at, one] of transfer.entries())
    targets.push({ ...one, target: await allowedTarget(tables, account, flow, `tools/transfer/${at}/target`, one.target) })
  return {
    ...tools,
    ...(tools.transfer && { transfer: targets }),
    ...(message?.sms !== undefined && { take_message: { ...message, sms: mobileNumber(account, message.sms) } }),
  }
}

const allowedTarget = async (tables: Tables, account: Account, flow: Flow, field: string, written: string): Promise<string> => {
  const name = await readTarget(tables, account, field, written)
  const target = parseTarget(name, account.country)
  if (!target || target.kind === 'emergency' || !mayTransferTo(flow.settings, target))
    throw Problem.field(field, 'is not among the transfer_targets of the flow')
  return name
}

const mobileNumber = (account: Account, written: string): string => {
  const number = parseNumber(written, account.country, { bareDigitsAreE164: !written.startsWith('0') })
  if (!number || number.premium) throw Problem.field('tools/take_message/sms', 'must be a phone number that gets SMS')
  return number.e164
}

/** Must be a JSON schema of an object with named fields, as model functions require. */
const requireSchema = (field: string, schema: Record<string, unknown> | undefined): void => {
  if (schema === undefined) return
  if (schema.type !== 'object') throw Problem.field(field, 'must be the JSON Schema of an object ("type": "object")')
  const { properties = {}, required = [] } = schema
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties))
    throw Problem.field(`${field}/properties`, 'must be an object: a schema for each name')
  if (!Array.isArray(required) || required.some((name) => typeof name !== 'string'))
    throw Problem.field(`${field}/required`, 'must be a list of names')
  if (JSON.stringify(schema).length > maxSchemaCharacters)
    throw Problem.field(field, `must not be longer than ${maxSchemaCharacters} characters`)
}

const requireDifferent = (field: string, names: readonly string[], problem = 'must not have the same name twice'): void => {
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw Problem.field(field, `${problem}: ${twice}`)
}
