import { useMemo } from 'react'
import type { InputOf } from '#api/use-service.ts'
import type { Filter, FilterOption } from '#parts/list/columns.ts'
import { useListState } from '#parts/list/use-list-state.ts'
import { useNow } from '#lazy-parts/use-now.ts'
import { useText } from '#words/use-text.tsx'
import type { HistoryEntry } from '../parts/history-entry.ts'
import { text } from '../parts/text.ts'
import { daysOf, isDay, periods } from './periods.ts'

type Query = Omit<InputOf<'listHistory'>[0], 'userId'>

const types = ['CALL', 'VOICEMAIL', 'SMS', 'FAX'] as const
const directions = ['INCOMING', 'OUTGOING', 'MISSED_INCOMING', 'MISSED_OUTGOING'] as const

/** How the history can be narrowed; `only` is a list of one kind of thing. */
export const useHistoryFilters = (only?: 'VOICEMAIL'): Filter<HistoryEntry>[] => {
  const say = useText(text)
  const named = <Value extends string>(values: readonly Value[], names: Record<Value, string>): FilterOption[] =>
    values.map((value) => ({ value, label: names[value] }))
  const kinds: Filter<HistoryEntry>[] = [
    { key: 'type', label: say.filters.type, options: named(types, say.types) },
    { key: 'direction', label: say.filters.direction, options: named(directions, say.directions) },
  ]
  return [
    ...(only === undefined ? kinds : []),
    { key: 'period', label: say.filters.period, options: named(periods, say.periods) },
    { key: 'from', label: say.filters.from },
    { key: 'to', label: say.filters.to },
    { key: 'marked', label: say.filters.marked, options: named(['starred', 'archived'], say.filters) },
  ]
}

/** What of the history is wanted, as the address says. What the service does not know is left out. */
export const useHistoryQuery = (only?: 'VOICEMAIL'): Query => {
  const { search, sort, filter } = useListState()
  const wanted = ['type', 'direction', 'period', 'from', 'to', 'marked'].map(filter)
  const [type, direction, period = '', from = '', to = '', marked] = wanted
  const { from: first, to: last } = daysOf(period, new Date(useNow(false)))
  return useMemo(() => {
    const wantedType = only ?? types.find((one) => one === type)
    const wantedDirection = directions.find((one) => one === direction)
    return {
      // The service looks for nothing shorter.
      ...(search.trim().length > 1 && { search: search.trim() }),
      ...(sort === 'created' && { sort }),
      ...(wantedType && { types: [wantedType] }),
      ...(wantedDirection && { directions: [wantedDirection] }),
      ...(isDay(from) ? { from } : first !== undefined && { from: first }),
      ...(isDay(to) ? { to } : last !== undefined && { to: last }),
      ...(marked === 'starred' && { starred: true }),
      ...(marked === 'archived' && { archived: true }),
    }
  }, [search, sort, only, type, direction, first, last, from, to, marked])
}
