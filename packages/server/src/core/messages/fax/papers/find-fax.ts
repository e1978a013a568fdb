import { maySee, type Viewer } from '#core/account/history/own-extensions.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Undefined also when the reader may not see it. */
export const findFaxEntry = async (tables: Tables, reader: Viewer, id: string): Promise<HistoryEntry | undefined> => {
  const entry = await tables.history.find(reader.accountId, id)
  return entry?.type === 'FAX' && (await maySee(tables, reader, id)) ? entry : undefined
}
