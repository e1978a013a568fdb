import { NativeSelect, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { api } from '#api/client.ts'
import { useRead, type OutputOf, type InputOf } from '#api/use-service.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Section } from '#parts/page/section.tsx'
import type { Column } from '#parts/list/columns.ts'
import { DayField } from '#parts/list/day-field.tsx'
import { List } from '#parts/list/list.tsx'
import { usePages } from '#parts/list/use-pages.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { FlowFrame } from '../parts/flow-frame.tsx'
import { isAssistant, type Flow } from '../parts/flow-state.tsx'
import classes from './results-page.module.css'

import { text } from './text.ts'

type CallResult = OutputOf<'getResult'>

const typedMs = 400
const nothing: ResultFilter = { search: '', outcome: '', version: '', from: '', to: '' }

/** Results of a flow's calls. */
export const ResultsPage = () => <FlowFrame tab="results">{(flow) => <Results key={flow.id} flow={flow} />}</FlowFrame>

const Results = ({ flow }: { flow: Flow }) => {
  const say = useText(text)
  const [filter, setFilter] = useState(nothing)
  const [settled] = useDebouncedValue(filter, typedMs)
  return (
    <Section title={say.results} description={say.about} flush>
      <Filters flow={flow} filter={filter} onChange={(part) => setFilter({ ...filter, ...part })} />
      <ResultTable flowId={flow.id} filter={settled} />
    </Section>
  )
}

const ResultTable = ({ flowId, filter }: { flowId: string; filter: ResultFilter }) => {
  const say = useText(text)
  const { duration } = useFormat()
  const query = { aiFlowId: flowId, ...queryOf(filter) }
  const pages = usePages<CallResult>(
    'listResults',
    query,
    ({ after, limit }) => api.listResults({ ...query, limit, ...(after !== undefined && { before: after }) }),
    ({ callId }) => callId,
  )
  const columns: Column<CallResult>[] = [
    { key: 'call', header: say.call, value: ({ startedAt }) => startedAt, cell: ({ startedAt }) => <Time at={startedAt} /> },
    { key: 'outcome', header: say.outcome, cell: ({ outcome = '–' }) => outcome },
    {
      key: 'summary',
      header: say.summary,
      value: ({ summary, problem }) => summary ?? problem,
      cell: ({ summary, problem }) => <Short words={summary ?? problem ?? '–'} />,
      breaks: true,
    },
    { key: 'version', header: say.version, cell: ({ version }) => version ?? '–', align: 'right' },
    {
      key: 'duration',
      header: say.duration,
      cell: ({ durationMs }) => (durationMs === undefined ? say.running : duration(durationMs)),
      align: 'right',
    },
  ]
  const empty = (
    <EmptyState icon="list" title={say.emptyTitle}>
      {say.empty}
    </EmptyState>
  )
  return (
    <List
      pages={pages}
      label={say.results}
      columns={columns}
      rowKey={({ callId }) => callId}
      rowTo={({ callId }) => `/calls/${callId}`}
      empty={empty}
    />
  )
}

const Short = ({ words }: { words: string }) => (
  <Text size="sm" lineClamp={2} title={words}>
    {words}
  </Text>
)

type FiltersProps = { flow: Flow; filter: ResultFilter; onChange: (part: Partial<ResultFilter>) => void }

const Filters = ({ flow, filter, onChange }: FiltersProps) => {
  const say = useText(text)
  const versions = useRead('listAssistantVersions', { aiFlowId: flow.id }, { when: isAssistant(flow) }).data?.items ?? []
  const field = (name: keyof ResultFilter) => ({
    size: 'xs' as const,
    label: say[name],
    value: filter[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange({ [name]: currentTarget.value }),
  })
  return (
    <div className={classes.filters}>
      <TextInput type="search" placeholder={say.searchHint} maxLength={200} {...field('search')} />
      <TextInput maxLength={60} {...field('outcome')} />
      <NativeSelect data={['', ...versions.map(({ version }) => `${version}`)]} {...field('version')} />
      <DayField label={say.from} value={filter.from} onChange={(from) => onChange({ from })} />
      <DayField label={say.to} value={filter.to} onChange={(to) => onChange({ to })} />
    </div>
  )
}

/** Filter of results; empty: all. Days are in the person's time zone. */
export interface ResultFilter {
  search: string
  outcome: string
  version: string
  from: string
  to: string
}

export const queryOf = ({ search, outcome, version, from, to }: ResultFilter): Omit<InputOf<'listResults'>[0], 'aiFlowId'> => ({
  ...(search.trim() !== '' && { search: search.trim() }),
  ...(outcome.trim() !== '' && { outcome: outcome.trim() }),
  ...(version !== '' && { version: Number(version) }),
  ...(from !== '' && { from: dayBegins(from, 0) }),
  ...(to !== '' && { to: dayBegins(to, 1) }),
})

/** `later`: days after it. The last day is included completely. */
const dayBegins = (day: string, later: number): string => {
  const date = new Date(`${day}T00:00`)
  date.setDate(date.getDate() + later)
  return date.toISOString()
}
