import { api, fetchAsRole } from '#api/client.ts'
import type { InputOf } from '#api/use-service.ts'
import { List } from '#parts/list/list.tsx'
import { useCursorPages } from '#parts/list/use-pages.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { useWhose } from '#lazy-parts/people.ts'
import { UserPicker } from '#lazy-parts/user-picker.tsx'
import { type HistoryEntry, extentOf, iconOf, otherSide, ownSide, resultOf } from '../parts/history-entry.ts'
import { text } from '../parts/text.ts'
import { useHistoryOf } from '../parts/use-history-of.ts'
import { useHistoryBulk } from './use-history-bulk.ts'
import { useMemo } from 'react'
import type { Filter, FilterOption, Column } from '#parts/list/columns.ts'
import { useListState } from '#parts/list/use-list-state.ts'
import { useNow } from '#lazy-parts/use-now.ts'
import { Badge, Text } from '@mantine/core'
import { otherParty } from '#api/other-party.ts'
import { useMay } from '#api/use-may.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { knownAs, useNumberActions } from '#parts/phone/use-number-actions.ts'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { Result } from './about-entry.tsx'
import classes from './history-list.module.css'
import { useEntryActions } from '../parts/use-entry-actions.ts'
import { periods, isDay, daysOf } from './periods.ts'

/** The history, or only its voicemails; searched and filtered by the service. */
export const HistoryList = ({ only }: { only?: 'VOICEMAIL' }) => {
  const say = useText(text)
  const whose = useWhose()
  const { search } = useHistoryOf()
  const { userId = '' } = whose
  const query = useHistoryQuery(only)
  const { sort: _sort, ...found } = query
  const pages = useCursorPages<HistoryEntry>(
    'listHistory',
    { ...query, userId },
    (page) => api.listHistory({ ...query, ...page, userId }),
    {
      when: userId !== '',
    },
  )
  const label = only ? say.voicemails : say.history
  return (
    <Section title={label} description={only ? undefined : say.historyLead} actions={<UserPicker whose={whose} />} flush>
      <List
        label={label}
        pages={pages}
        columns={useHistoryColumns(only)}
        rowKey={({ id }) => id}
        rowTo={({ id }) => `/calls/history/${id}${search}`}
        rowActions={(entry) => <EntryMenu entry={entry} />}
        search={say.searchHistory}
        filters={useHistoryFilters(only)}
        bulk={useHistoryBulk(userId, found)}
        file={() => historyFile(userId, query)}
        empty={
          <EmptyState icon={only ? 'voicemail' : 'history'} title={only ? say.noVoicemail : say.emptyTitle}>
            {only ? say.noVoicemailBody : say.emptyBody}
          </EmptyState>
        }
      />
    </Section>
  )
}

/** All matching entries as a CSV file, streamed by the service. */
const historyFile = async (userId: string, query: Omit<InputOf<'listHistory'>[0], 'userId'>): Promise<Blob> => {
  const wanted = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) wanted.append(name, String(one))
  const reply = await fetchAsRole(`/v2/${userId}/history?${wanted.toString()}`, { headers: { accept: 'text/csv' } })
  if (!reply.ok) throw new Error(reply.statusText)
  return reply.blob()
}

type Query = Omit<InputOf<'listHistory'>[0], 'userId'>

const types = ['CALL', 'VOICEMAIL', 'SMS', 'FAX'] as const
const directions = ['INCOMING', 'OUTGOING', 'MISSED_INCOMING', 'MISSED_OUTGOING'] as const

/** Filters of the history; `only` restricts it to one type. */
const useHistoryFilters = (only?: 'VOICEMAIL'): Filter<HistoryEntry>[] => {
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

/** The history query from the address. Omits values unknown to the service. */
const useHistoryQuery = (only?: 'VOICEMAIL'): Query => {
  const { search, sort, filter } = useListState()
  const wanted = ['type', 'direction', 'period', 'from', 'to', 'marked'].map(filter)
  const [type, direction, period = '', from = '', to = '', marked] = wanted
  const { from: first, to: last } = daysOf(period, new Date(useNow(false)))
  return useMemo(() => {
    const wantedType = only ?? types.find((one) => one === type)
    const wantedDirection = directions.find((one) => one === direction)
    return {
      // The service needs at least two characters.
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

/** Party, type, time and result; for voicemails the transcript. */
const useHistoryColumns = (only?: 'VOICEMAIL'): Column<HistoryEntry>[] => {
  const say = useText(text)
  const format = useFormat()
  const who: Column<HistoryEntry> = {
    key: 'who',
    header: say.who,
    value: (entry) => otherSide(entry, say, format),
    cell: (entry) => <Who entry={entry} />,
  }
  const when: Column<HistoryEntry> = {
    key: 'created',
    header: say.when,
    sortable: true,
    value: ({ created }) => created,
    cell: ({ created }) => <Time at={created} />,
  }
  const duration: Column<HistoryEntry> = {
    key: 'extent',
    header: say.duration,
    align: 'right',
    value: (entry) => extentOf(entry, say, format),
  }
  if (only === 'VOICEMAIL')
    return [
      who,
      {
        key: 'words',
        header: say.transcription,
        wraps: true,
        cell: (entry) => <Words entry={entry} />,
        value: ({ transcription = '' }) => transcription,
      },
      when,
      duration,
    ]
  return [
    who,
    {
      key: 'what',
      header: say.what,
      value: (entry) => `${say.types[entry.type]} · ${say.directions[entry.direction]}`,
      cell: (entry) => <What entry={entry} />,
    },
    when,
    {
      key: 'result',
      header: say.result,
      value: (entry) => [resultOf(entry, say).words, extentOf(entry, say, format)].filter((words) => words !== '').join(' '),
      cell: (entry) => <ResultAndExtent entry={entry} />,
    },
  ]
}

const Who = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const format = useFormat()
  return (
    <span className={classes.what}>
      <Icon name={iconOf(entry)} size={16} />
      <span className={classes.name}>{otherSide(entry, say, format)}</span>
      <span className={classes.marks}>
        {!entry.read && entry.type !== 'CALL' && (
          <Badge size="xs" miw="fit-content">
            {say.unread}
          </Badge>
        )}
        {entry.starred && <Icon name="star" size={14} label={say.starred} />}
        {(entry.recordings?.length ?? 0) > 0 && <Icon name="record" size={14} label={say.recording} />}
      </span>
    </span>
  )
}

/** Type of the entry, and the account's side. */
const What = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const own = ownSide(entry)
  return (
    <>
      {say.types[entry.type]} · {say.directions[entry.direction]}
      {own !== '' && (
        <Text span size="xs" c="dimmed" ml="xs">
          {own}
        </Text>
      )}
    </>
  )
}

const Words = ({ entry: { transcription } }: { entry: HistoryEntry }) => {
  const say = useText(text)
  return (
    <Text span inherit lineClamp={2} {...(!transcription && { c: 'dimmed' })}>
      {transcription || say.noTranscription}
    </Text>
  )
}

const ResultAndExtent = ({ entry }: { entry: HistoryEntry }) => {
  const extent = extentOf(entry, useText(text), useFormat())
  return (
    <span className={classes.result}>
      <Result entry={entry} />
      {extent !== '' && <span className={classes.extent}>{extent}</span>}
    </span>
  )
}

/** Menu of an entry: call back, mark, delete. */
const EntryMenu = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const format = useFormat()
  const may = useMay()
  const numberActions = useNumberActions()
  const { change, remove } = useEntryActions(entry)
  const { starred, archived, read } = entry
  const { number, alias: name, contact } = otherParty(entry)
  const known = contact ? knownAs(contact) : name !== '' && name !== number ? { name } : {}
  const order = [
    { label: read ? say.markUnread : say.markRead, icon: 'mail', onClick: () => change({ read: !read }) },
    { label: starred ? say.unstar : say.star, icon: 'star', onClick: () => change({ starred: !starred }) },
    { label: archived ? say.unarchive : say.archive, icon: 'archive', onClick: () => change({ archived: !archived }) },
    { label: say.remove, icon: 'trash', danger: true, onClick: () => void remove() },
  ] as const
  const actions = [...numberActions({ number, ...known }), ...(may('CAN_CHANGE_HISTORY') ? order : [])]
  return actions.length === 0 ? null : <RowMenu label={say.actionsFor(otherSide(entry, say, format))} actions={actions} />
}
