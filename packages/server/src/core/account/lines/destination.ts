import { Problem } from '@offhook/contract/problem.ts'
import { isEmergency } from '../numbers/emergency.ts'
import { isOpen } from '#core/money/rates.ts'
import { rateOf } from '#core/money/rates.ts'
import { limitsOf } from '#core/money/limits.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

export interface AccountCountry {
  accountId: string
  country: string
  tariffId: string | undefined
}

/** Kinds of extensions that calls can be forwarded to. */
const forwardable = /^[pgv](0|[1-9]\d{0,8})$/
const ringable = /^[pg](0|[1-9]\d{0,8})$/

/**
 * Parses a forwarding destination into canonical form: E.164, an extension, or `voicemail`. `field` is named in a
 * rejection. Parallel ringing excludes voicemails: they would always answer first.
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

/** Parses a number that may be called automatically: no emergency and no premium number. */
export const readOutsideNumber = (field: string, written: string, country: string): string => {
  if (isEmergency(written, country)) throw Problem.field(field, 'is an emergency number', 'number_invalid')
  const number = parseNumber(written, country)
  if (!number) throw Problem.field(field, 'is not a valid phone number', 'number_invalid')
  if (number.premium) throw Problem.field(field, 'is a premium rate number', 'number_invalid')
  return number.e164
}

/**
 * Rejects a number that calls of the account cannot reach, by the rules of an actual call: without a price, blocked, or closed. An extension or a number in service
 * here is reached without a carrier. An account without a tariff may prepare its forwardings.
 */
export const requireReachable = async (
  tables: Tables,
  { accountId, country, tariffId }: AccountCountry,
  field: string,
  destination: string,
  at: number,
): Promise<void> => {
  if (!destination.startsWith('+') || (await tables.numbers.findCallable(destination))) return
  const rate = await rateOf(tables, { tariffId, country }, 'CALL', destination, at)
  if (tariffId !== undefined && (!rate || rate.blocked))
    throw Problem.field(field, 'cannot be called from this account', 'destination_blocked')
  const { opened } = await limitsOf(tables, accountId)
  if (!isOpen(destination, country, opened)) throw Problem.field(field, 'is closed for this account', 'destination_closed')
}

export const accountCountryOf = async (tables: Tables, accountId: string): Promise<AccountCountry> => {
  const account = await tables.accounts.find(accountId)
  if (!account) throw new Problem('account_not_found')
  return { accountId, country: account.country, tariffId: account.tariffId }
}
