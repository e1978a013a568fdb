import { api } from '#api/client.ts'
import { useRead, type OutputOf } from '#api/use-service.ts'
import type { Column, Filter } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { useListState } from '#parts/list/use-list-state.ts'
import { useCursorPages } from '#parts/list/use-pages.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { PhoneNumber, Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { AccountLink } from '../parts/account-link.tsx'
import { Outcome } from './outcome.tsx'
import { faults, isReason, reasons } from './outcome.tsx'
import { text } from './text.ts'

export type FoundCall = OutputOf<'searchCalls'>['items'][number]

/** Finds a call by number, time or failure. */
export const CallsPage = () => {
  const say = useText(text)
  const pages = useFoundCalls()
  const columns = useColumns()
  const filters = useFilters()
  return (
    <Page title={say.title} description={say.description} width="full">
      <Section flush>
        <List
          pages={pages}
          label={say.list}
          columns={columns}
          filters={filters}
          rowKey={({ accountId, callId }) => `${accountId} ${callId}`}
          rowTo={({ accountId, callId }) => `/operator/calls/${accountId}/${encodeURIComponent(callId)}`}
          search={say.find}
          empty={
            <EmptyState icon="phone" title={say.none}>
              {say.noneHint}
            </EmptyState>
          }
        />
      </Section>
    </Page>
  )
}

const dayMs = 24 * 60 * 60 * 1000

const useFoundCalls = () => {
  const { search, filter: chosen } = useListState()
  const [trunkId, outcome, day, accountId] = [chosen('trunk'), chosen('outcome'), chosen('day'), chosen('account')]
  const from = day === '' ? undefined : new Date(`${day}T00:00`).getTime()
  const filter = {
    ...(search.trim() !== '' && { search: search.trim() }),
    ...(trunkId !== '' && { trunkId }),
    ...(accountId !== '' && { accountId }),
    ...(outcome === 'failures' && { reasons: [...faults] }),
    ...(isReason(outcome) && { reasons: [outcome] }),
    ...(from !== undefined && { from: new Date(from).toISOString() }),
  }
  const latest = from === undefined ? undefined : new Date(from + dayMs).toISOString()
  return useCursorPages('searchCalls', { ...filter, latest }, async ({ cursor, limit }) => {
    const before = cursor ?? latest
    const { items, readTo } = await api.searchCalls({ ...filter, limit, ...(before !== undefined && { before }) })
    return { items, ...(readTo !== undefined && { nextCursor: readTo }) }
  })
}

const useFilters = (): Filter<FoundCall>[] => {
  const say = useText(text)
  const trunks = useRead('listTrunks').data?.items ?? []
  return [
    {
      key: 'outcome',
      label: say.outcome,
      options: [{ value: 'failures', label: say.failures }, ...reasons.map((value) => ({ value, label: say.reasons[value] }))],
    },
    { key: 'trunk', label: say.trunk, options: trunks.map(({ id, name }) => ({ value: id, label: name })) },
    { key: 'day', label: say.day },
  ]
}

const useColumns = (): Column<FoundCall>[] => {
  const say = useText(text)
  const trunks = useRead('listTrunks').data?.items ?? []
  return [
    { key: 'started', header: say.started, value: ({ startedAt }) => startedAt, cell: ({ startedAt }) => <Time at={startedAt} /> },
    { key: 'from', header: say.from, value: ({ from }) => from, cell: ({ from }) => <Party number={from} /> },
    { key: 'to', header: say.to, value: ({ to }) => to, cell: ({ to }) => <Party number={to} /> },
    {
      key: 'account',
      header: say.account,
      value: ({ company }) => company,
      cell: ({ accountId }) => <AccountLink accountId={accountId} />,
    },
    { key: 'ended', header: say.ended, value: ({ reason }) => reason, cell: (call) => <Outcome call={call} /> },
    { key: 'trunk', header: say.trunk, cell: ({ trunkId }) => trunks.find(({ id }) => id === trunkId)?.name ?? '–', wideOnly: true },
  ]
}

const Party = ({ number }: { number: string | undefined }) => {
  const { unknown } = useText(text)
  return number === undefined ? unknown : <PhoneNumber number={number} />
}
