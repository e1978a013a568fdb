import type { Faxline } from '#core/kernel/ports/store/line.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import { accountCountryOf } from './destination.ts'

/** An empty text resets the choice. */
export const chooseFaxCallerId = async (tables: Tables, accountId: string, faxline: Faxline, written: string): Promise<string> => {
  const chosen = written === '' ? undefined : await readOwnNumber(tables, accountId, written)
  await tables.faxlines.setCallerId(accountId, faxline.id, chosen)
  return chosen ?? ''
}

/** Caller ID shown to receivers: the chosen number while it is an active number of the account, else none. */
export const effectiveFaxCallerId = async (tables: Tables, accountId: string, { callerId }: Faxline): Promise<string> =>
  callerId !== undefined && (await isOwn(tables, accountId, callerId)) ? callerId : ''

/** Only numbers of this account can be shown to others. Returns the E.164 form of the field `value`. */
export const readOwnNumber = async (tables: Tables, accountId: string, written: string): Promise<string> => {
  const { country } = await accountCountryOf(tables, accountId)
  const number = parseNumber(written, country)
  if (!number) throw Problem.field('value', 'is not a valid phone number', 'number_invalid')
  if (!(await isOwn(tables, accountId, number.e164))) throw new Problem('caller_id_not_owned')
  return number.e164
}

/** Whether a chosen number is still an active number of the account. */
export const isOwn = async (tables: Tables, accountId: string, e164: string): Promise<boolean> =>
  (await tables.numbers.findByE164(accountId, e164))?.state === 'ACTIVE'
