import { Problem } from '@offhook/contract/problem.ts'
import { isEmergency } from '../numbers/emergency.ts'
import { parseNumber, type PhoneNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

const extensionId = /^[a-y](?:0|[1-9]\d{0,8})$/
const callable: readonly string[] = ['e', 'y', 'x', 'p', 'g', 'v']

const flowId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Transfer target of an assistant in canonical form: E.164 with the plus sign, an extension, or the id of a flow. */
type Target = { kind: 'extension' | 'flow'; id: string } | { kind: 'number'; number: PhoneNumber } | { kind: 'emergency' }

/** Digits are E.164 without the plus sign, as everywhere in this API; with a leading 0 they are national. */
export const parseTarget = (written: string, country: string): Target | undefined => {
  const text = written.trim()
  if (extensionId.test(text)) return { kind: 'extension', id: text }
  if (flowId.test(text)) return { kind: 'flow', id: text }
  if (isEmergency(text, country)) return { kind: 'emergency' }
  const number = parseNumber(text, country, { bareDigitsAreE164: !text.startsWith('0') })
  return number && { kind: 'number', number }
}

const nameOfTarget = (target: Exclude<Target, { kind: 'emergency' }>): string => (target.kind === 'number' ? target.number.e164 : target.id)

/** Validates a customer's setting. */
export const readTarget = async (
  tables: Tables,
  account: Account,
  field: string,
  written: string,
  { prefixes = false } = {},
): Promise<string> => {
  if (prefixes && written.endsWith('*')) return readPrefix(field, written)
  const target = parseTarget(written, account.country)
  if (!target)
    throw Problem.field(
      field,
      `must be a phone number${prefixes ? ', the beginning of one with * at its end' : ''} an extension, or the id of a flow`,
    )
  if (target.kind === 'emergency') throw Problem.field(field, 'must not be the rescue services')
  if (target.kind === 'number' && target.number.premium) throw Problem.field(field, 'is a premium number, which assistants cannot call')
  if (target.kind === 'extension' && !(await isCallable(tables, account.id, target.id)))
    throw Problem.field(field, 'is no extension of this account that can be called')
  if (target.kind === 'flow' && !(await tables.flows.find(account.id, target.id))) throw Problem.field(field, 'is no flow of this account')
  return nameOfTarget(target)
}

const isCallable = async (tables: Tables, accountId: string, id: string): Promise<boolean> => {
  const extension = await tables.extensions.find(accountId, id)
  return extension !== undefined && callable.includes(extension.kind)
}

/** Requires at least a country code: a prefix for all numbers would defeat the list. */
const readPrefix = (field: string, written: string): string => {
  const digits = /^(?:\+|00)?([1-9]\d{0,14})\*$/.exec(written.trim())?.[1]
  if (digits === undefined) throw Problem.field(field, 'must begin with a country code, such as +49*')
  return `+${digits}*`
}

/** Whether the flow may transfer calls there: listed targets and the fallback for an unavailable endpoint. */
export const mayTransferTo = (
  { transferTargets = [], fallback }: FlowSettings,
  target: Exclude<Target, { kind: 'emergency' }>,
): boolean => {
  const name = nameOfTarget(target)
  return [...transferTargets, fallback?.transferTo].some((allowed) =>
    allowed?.endsWith('*') ? name.startsWith(allowed.slice(0, -1)) : allowed === name,
  )
}
