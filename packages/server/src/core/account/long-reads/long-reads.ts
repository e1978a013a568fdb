import { contactPage, contactsJson, contactTable, contactVcards, duplicatesOf } from '#core/account/contacts/exchange/contact-texts.ts'
import { historyIds } from '#core/account/history/history-ids.ts'
import { historyTable } from '#core/account/history/history-table.ts'
import { searchAll } from '#core/account/history/search-all.ts'
import type { HistoryFilter, HistoryPage } from '#core/kernel/ports/store/call.ts'
import type { TextSlice, Store, Tables } from '#core/kernel/ports/store/index.ts'

interface HistoryInput {
  accountId: string
  filter: HistoryFilter
}

/** Reads that would block the event loop, by name, because another thread may run them: inputs and results must be cloneable. */
export const longReads = {
  contactsJson,
  contactPage,
  contactVcards,
  contactTable,
  duplicatesOf,
  historyTable,
  searchAll,
  historyList: ({ history }: Tables, { accountId, filter, page }: HistoryInput & { page: HistoryPage }) =>
    history.list(accountId, filter, page),
  historyIds,
  historyCount: ({ history }: Tables, { accountId, filter, most: max }: HistoryInput & { most: number | undefined }) =>
    history.count(accountId, filter, max),
} satisfies Record<string, (tables: Tables, input: never) => Promise<unknown>>

type LongReadName = keyof typeof longReads

/** Any long read, for callers that know only its name. */
export type LongRead = (tables: Tables, input: object) => Promise<unknown>

type InputOf<N extends LongReadName> = Parameters<(typeof longReads)[N]>[1]
type ResultOf<N extends LongReadName> = Awaited<ReturnType<(typeof longReads)[N]>>

/** Runs in a thread where the database is a file of this process; an external database does not block the event loop. */
export const readLong = async <N extends LongReadName>(store: Store, name: N, input: InputOf<N>): Promise<ResultOf<N>> => {
  const result = store.longReads
    ? await store.longReads.read(input.accountId, name, input)
    : await (longReads[name] as LongRead)(store.read, input)
  return result as ResultOf<N>
}

type SlicedName = { [N in LongReadName]: ResultOf<N> extends TextSlice<object> ? N : never }[LongReadName]

/** All slices of a text, in sequence, at the consumer's pace. `breathe` yields to the event loop before each. */
export async function* readSlices<N extends SlicedName>(
  store: Store,
  name: N,
  input: InputOf<N>,
  breathe: () => Promise<void>,
): AsyncGenerator<string | Uint8Array> {
  for (let next: InputOf<N> | undefined = input; next;) {
    await breathe()
    const slice: TextSlice<object> = await readLong(store, name, next)
    yield slice.text
    next = slice.next as InputOf<N> | undefined
  }
}
