import { Problem } from '@offhook/contract/problem.ts'
import { isEmergency } from '../numbers/emergency.ts'
import { parseNumber, type PhoneNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

const extensionId = /^[a-y](?:0|[1-9]\d{0,8})$/
const callable: readonly string[] = ['e', 'y', 'x', 'p', 'g', 'v']

/** Where an assistant wants to put a call through to, in the one form in which targets are compared: E.164 with the plus sign, or an extension. */
export type Target = { kind: 'extension'; id: string } | { kind: 'number'; number: PhoneNumber } | { kind: 'emergency' }

/** Digits are E.164 without its plus sign, as everywhere in this interface; with a 0 in front they are dialled as in the country. */
export const parseTarget = (written: string, country: string): Target | undefined => {
  const text = written.trim()
  if (extensionId.test(text)) return { kind: 'extension', id: text }
  if (isEmergency(text, country)) return { kind: 'emergency' }
  const number = parseNumber(text, country, { bareDigitsAreE164: !text.startsWith('0') })
  return number && { kind: 'number', number }
}

export const nameOfTarget = (target: Exclude<Target, { kind: 'emergency' }>): string =>
  target.kind === 'extension' ? target.id : target.number.e164

/** Checks what a customer sets. */
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
    throw Problem.field(field, `must be a phone number${prefixes ? ', the beginning of one with * at its end' : ''} or an extension`)
  if (target.kind === 'emergency') throw Problem.field(field, 'must not be the rescue services')
  if (target.kind === 'number' && target.number.premium) throw Problem.field(field, 'is a premium number, which assistants cannot call')
  if (target.kind === 'extension' && !(await isCallable(tables, account.id, target.id)))
    throw Problem.field(field, 'is no extension of this account that can be called')
  return nameOfTarget(target)
}

const isCallable = async (tables: Tables, accountId: string, id: string): Promise<boolean> => {
  const extension = await tables.extensions.find(accountId, id)
  return extension !== undefined && callable.includes(extension.kind)
}

/** At least a country: what leads anywhere is no list of targets. */
const readPrefix = (field: string, written: string): string => {
  const digits = /^(?:\+|00)?([1-9]\d{0,14})\*$/.exec(written.trim())?.[1]
  if (digits === undefined) throw Problem.field(field, 'must begin with a country code, such as +49*')
  return `+${digits}*`
}

/** Whether this flow may put calls through to there: what its customer listed, or chose for when the endpoint is away. */
export const mayTransferTo = (
  { transferTargets = [], fallback }: FlowSettings,
  target: Exclude<Target, { kind: 'emergency' }>,
): boolean => {
  const name = nameOfTarget(target)
  return [...transferTargets, fallback?.transferTo].some((allowed) =>
    allowed?.endsWith('*') ? name.startsWith(allowed.slice(0, -1)) : allowed === name,
  )
}
