import type { InputOf } from '#api/use-service.ts'
import { useMemo } from 'react'
import { useSearchParams } from 'wouter'

type Query = Omit<InputOf<'listHistory'>[0], 'userId'>
export const filterNames = ['type', 'direction', 'number', 'from', 'to', 'starred', 'archived'] as const
export type FilterName = (typeof filterNames)[number]
export type Filters = Readonly<Record<FilterName, string>>

const types = ['CALL', 'VOICEMAIL', 'SMS', 'FAX'] as const
const directions = ['INCOMING', 'OUTGOING', 'MISSED_INCOMING', 'MISSED_OUTGOING'] as const

/** What of the history is wanted. It stands in the address, so that going back finds it again. */
export const useHistoryFilter = () => {
  const [search, setSearch] = useSearchParams()
  const filters = useMemo(() => Object.fromEntries(filterNames.map((name) => [name, search.get(name) ?? ''])) as Filters, [search])
  const set = (changes: Partial<Filters>): void =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before)
        for (const [name, value] of Object.entries(changes)) {
          if (value === '') after.delete(name)
          else after.set(name, value)
        }
        return after
      },
      { replace: true },
    )
  return { filters, set, query: useMemo(() => queryOf(filters), [filters]), isSet: filterNames.some((name) => filters[name] !== '') }
}

/** What the address says that the service does not know is left out. */
const queryOf = ({ type, direction, number, from, to, starred, archived }: Filters): Query => {
  const [wantedType, wantedDirection] = [types.find((one) => one === type), directions.find((one) => one === direction)]
  return {
    ...(wantedType && { types: [wantedType] }),
    ...(wantedDirection && { directions: [wantedDirection] }),
    ...(number !== '' && { phonenumber: number.replaceAll(/[\s()/-]/g, '') }),
    ...(isDay(from) && { from }),
    ...(isDay(to) && { to }),
    ...(starred !== '' && { starred: true }),
    ...(archived !== '' && { archived: true }),
  }
}

const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text)

export { directions, types }
