import { Problem } from '@offhook/contract/problem.ts'
import type { HistoryQuery } from '@offhook/contract/v2/history.ts'
import type { Static } from 'typebox'
import { readSearch } from '../contacts/typed-search.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { HistoryFilter, HistoryViewer } from '#core/kernel/ports/store/call.ts'

const day = 86_400_000

/** Translates the query into a store filter. */
export const readHistoryFilter = (query: Static<typeof HistoryQuery>, seenBy: HistoryViewer, country: string): HistoryFilter => {
  const { types, directions, archived, read, starred, phonenumber, connectionIds, phonelineId, callId, correlationId } = query
  const from = query.from === undefined ? undefined : readTime('from', query.from).at
  const to = query.to === undefined ? undefined : endOf(readTime('to', query.to))
  if (from !== undefined && to !== undefined && from > to) throw Problem.field('from', 'must not be later than to')
  return {
    seenBy,
    ...(types && { types }),
    ...(directions && { directions }),
    ...(archived !== undefined && { archived }),
    ...(read !== undefined && { read }),
    ...(starred !== undefined && { starred: starred === true || starred === 'STARRED' }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(phonenumber !== undefined && { phoneNumbers: spellings(phonenumber, country) }),
    ...(connectionIds && { connectionIds }),
    ...(phonelineId !== undefined && { phoneline: phonelineId }),
    ...(callId !== undefined && { sessionId: callId }),
    ...(correlationId !== undefined && { correlationId }),
    ...(query.search !== undefined && { search: { userId: seenBy.userId, ...readSearch(query.search, country) } }),
  }
}

interface Time {
  at: number
  dateOnly: boolean
}

/** A date, or a date and a time with its zone. In URLs the plus of a zone often arrives as a space. */
const readTime = (field: string, written: string): Time => {
  const form = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+ -]\d{2}:?\d{2}))?$/.exec(written)
  const text = written.replace(' ', '+').replace(/([+-]\d{2})(\d{2})$/, form?.[1] === undefined ? '$&' : '$1:$2')
  const at = form ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at) || !dayExists(written))
    throw Problem.field(field, 'must be a date or time in ISO 8601, such as 2026-02-10T14:19:39Z')
  return { at, dateOnly: form?.[1] === undefined }
}

/** JavaScript parses 30 February as 2 March. */
const dayExists = (written: string): boolean => {
  const date = written.slice(0, 10)
  const at = Date.parse(date)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date)
}

const endOf = ({ at, dateOnly }: Time): number => (dateOnly ? at + day - 1 : at)

/** Entries hold E.164; people search for the number they see. Anything else, such as `anonymous`, is searched literally. */
const spellings = (written: string, country: string): string[] => {
  const number = parseNumber(written, country)
  return number ? [written, number.e164] : [written]
}
