import { Problem } from '@offhook/contract/problem.ts'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import { requireTimezone } from '#core/kernel/time-zone.ts'
import { requireAddress, requireHeaderValue, languageTag } from '../flows/check-settings.ts'
import { mayTransferTo, parseTarget, readTarget } from '../flows/transfer-targets.ts'
import { headersOf } from './secrets.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** What the model can call without being told of it. */
const ownTools = ['hang_up', 'transfer', 'send_sms', 'take_message', 'collect_digits', 'look_up']
const maxSchemaCharacters = 16_000

type Tools = NonNullable<AssistantSettings['tools']>

/** The settings in the one form in which they are kept. Throws a Problem that names the field when something could not work. */
export const checkAssistant = async (
  tables: Tables,
  account: Account,
  flow: Flow,
  settings: AssistantSettings,
): Promise<AssistantSettings> => {
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
  requireDifferent('tools/http', [...ownTools, ...http.map(({ name }) => name)], 'must not have the name of another tool')
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

/** As functions of models have it: an object with named fields. */
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
