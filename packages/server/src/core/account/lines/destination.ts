import { Problem } from '@offhook/contract/problem.ts'
import { isEmergency } from '../numbers/emergency.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

export interface AccountCountry {
  accountId: string
  country: string
}

/** Kinds of extensions that calls can be passed on to. */
const forwardable = /^[pgv](0|[1-9]\d{0,8})$/
const ringable = /^[pg](0|[1-9]\d{0,8})$/

/**
 * Where calls shall be passed on to, in the one form that is kept: E.164, an extension, or `voicemail`. `field` is named when it is
 * refused. Ringing in parallel leaves out voicemails: they would always be the first to answer.
 */
export const readDestination = async (
  tables: Tables,
  { accountId, country }: AccountCountry,
  field: string,
  written: string,
  { parallel = false } = {},
): Promise<string> => {
  const text = written.trim()
  if (text === 'voicemail' && !parallel) return text
  const extensions = parallel ? ringable : forwardable
  if (/^[a-y]\d+$/.test(text)) {
    if (extensions.test(text) && (await tables.extensions.find(accountId, text))) return text
    throw Problem.field(
      field,
      parallel ? 'is no phone line or group of this account' : 'is no phone line, group or voicemail of this account',
    )
  }
  return readOutsideNumber(field, text, country)
}

/** A number that may be called automatically: neither the rescue services nor one that costs extra. */
export const readOutsideNumber = (field: string, written: string, country: string): string => {
  if (isEmergency(written, country)) throw Problem.field(field, 'is an emergency number', 'number_invalid')
  const number = parseNumber(written, country)
  if (!number) throw Problem.field(field, 'is not a valid phone number', 'number_invalid')
  if (number.premium) throw Problem.field(field, 'is a premium rate number', 'number_invalid')
  return number.e164
}

export const accountCountryOf = async (tables: Tables, accountId: string): Promise<AccountCountry> => {
  const account = await tables.accounts.find(accountId)
  if (!account) throw new Problem('account_not_found')
  return { accountId, country: account.country }
}
