import { seerOf } from '../lines/own-extensions.ts'
import type { HistoryEntry } from '../ports/store/history.ts'
import type { Tables } from '../ports/store/index.ts'

export interface Reader {
  accountId: string
  userId: string
  admin: boolean
}

/** Who sees the entry may read what it tells of; administrators may for the whole account. */
export const mayRead = async (tables: Tables, { accountId, userId, admin }: Reader, id: string): Promise<boolean> =>
  admin || (await tables.history.find(accountId, id, await seerOf(tables, accountId, userId))) !== undefined

/** Undefined also when it is none of the reader's business. */
export const findFaxEntry = async (tables: Tables, reader: Reader, id: string): Promise<HistoryEntry | undefined> => {
  const entry = await tables.history.find(reader.accountId, id)
  return entry?.type === 'FAX' && (await mayRead(tables, reader, id)) ? entry : undefined
}
