import type { Faxline } from '#core/kernel/ports/store/line/faxlines.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { isOwn, readOwnNumber } from './own-number.ts'

/** An empty text takes the choice back. */
export const chooseFaxCallerId = async (tables: Tables, accountId: string, faxline: Faxline, written: string): Promise<string> => {
  const chosen = written === '' ? undefined : await readOwnNumber(tables, accountId, written)
  await tables.faxlines.setCallerId(accountId, faxline.id, chosen)
  return chosen ?? ''
}

/** What receivers see now: the chosen number while it still is the account's and active, else nothing. */
export const effectiveFaxCallerId = async (tables: Tables, accountId: string, { callerId }: Faxline): Promise<string> =>
  callerId !== undefined && (await isOwn(tables, accountId, callerId)) ? callerId : ''
