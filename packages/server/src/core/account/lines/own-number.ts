import { Problem } from '@offhook/contract/problem.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { accountCountryOf } from './destination.ts'

/** Only numbers that lead to this account can be shown to others. Gives the E.164 form of what was written in the field `value`. */
export const readOwnNumber = async (tables: Tables, accountId: string, written: string): Promise<string> => {
  const { country } = await accountCountryOf(tables, accountId)
  const number = parseNumber(written, country)
  if (!number) throw Problem.field('value', 'is not a valid phone number', 'number_invalid')
  if (!(await isOwn(tables, accountId, number.e164))) throw new Problem('caller_id_not_owned')
  return number.e164
}

/** Whether a number that was chosen once still is one of the account's that work. */
export const isOwn = async (tables: Tables, accountId: string, e164: string): Promise<boolean> =>
  (await tables.numbers.findByE164(accountId, e164))?.state === 'ACTIVE'
