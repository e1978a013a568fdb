import { Problem } from '@offhook/contract/problem.ts'
import { parseNumber } from '../numbers/phone-number.ts'
import type { Faxline } from '../ports/store/faxlines.ts'
import type { Tables } from '../ports/store/index.ts'
import { placeOf } from './destination.ts'

/** Only numbers that lead to this account can be shown to receivers, and only while they do. Empty takes the choice back. */
export const chooseFaxCallerId = async (tables: Tables, accountId: string, faxline: Faxline, written: string): Promise<string> => {
  if (written === '') {
    await tables.faxlines.setCallerId(accountId, faxline.id, undefined)
    return ''
  }
  const { country } = await placeOf(tables, accountId)
  const number = parseNumber(written, country)
  if (!number) throw Problem.field('value', 'is not a valid phone number', 'number_invalid')
  const own = await tables.numbers.findByE164(accountId, number.e164)
  if (own?.state !== 'ACTIVE') throw new Problem('caller_id_not_owned')
  await tables.faxlines.setCallerId(accountId, faxline.id, number.e164)
  return number.e164
}
