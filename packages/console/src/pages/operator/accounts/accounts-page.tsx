import { useState } from 'react'
import { api } from '#api/client.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { useRead } from '#api/use-service.ts'
import { useCountryName } from '#lazy-parts/country-select.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useListState } from '#parts/list/use-list-state.ts'
import { usePages } from '#parts/list/use-pages.ts'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import type { Account } from '../parts/find-accounts.ts'
import { CreateAccount } from './create-account.tsx'
import { text } from './text.ts'

/** The accounts of the installation. */
export const AccountsPage = () => {
  const say = useText(text)
  const sought = useListState().search.trim()
  const filter = { ...(sought !== '' && { search: sought }) }
  const pages = usePages(
    'listAccounts',
    filter,
    (page) => api.listAccounts({ ...filter, ...page }),
    ({ id }) => id,
  )
  const [creating, setCreating] = useState(false)
  const columns = useColumns()
  const create = <AddButton onClick={() => setCreating(true)}>{say.create}</AddButton>
  const empty = (
    <EmptyState icon="group" title={say.none} action={create}>
      {say.noneHint}
    </EmptyState>
  )
  return (
    <Page title={say.title} description={say.description} actions={create}>
      <Section flush>
        <List
          pages={pages}
          label={say.list}
          columns={columns}
          rowKey={({ id }) => id}
          rowTo={({ id }) => `/operator/accounts/${id}`}
          search={say.search}
          empty={empty}
        />
      </Section>
      {creating && <CreateAccount onClose={() => setCreating(false)} />}
    </Page>
  )
}

const useColumns = (): Column<Account>[] => {
  const say = useText(text)
  const countryName = useCountryName()
  const tariffs = useRead('listTariffs').data?.items ?? []
  const tariffName = (id: string): string => tariffs.find((tariff) => tariff.id === id)?.name ?? id
  return [
    { key: 'company', header: say.company, cell: ({ company }) => company },
    { key: 'id', header: say.number, cell: ({ id }) => id },
    { key: 'country', header: say.country, cell: ({ country }) => countryName(country), wideOnly: true },
    { key: 'tariff', header: say.tariff, cell: ({ tariffId }) => (tariffId === undefined ? '–' : tariffName(tariffId)), wideOnly: true },
    {
      key: 'verified',
      header: say.verified,
      value: ({ verified }) => (verified ? say.verifiedWords.yes : say.verifiedWords.no),
      cell: ({ verified }) => (
        <StatusBadge tone={verified ? 'good' : 'quiet'}>{verified ? say.verifiedWords.yes : say.verifiedWords.no}</StatusBadge>
      ),
    },
    {
      key: 'outbound',
      header: say.outbound,
      value: ({ outboundEnabled }) => (outboundEnabled ? say.outboundWords.yes : say.outboundWords.no),
      cell: ({ outboundEnabled }) => (
        <StatusBadge tone={outboundEnabled ? 'good' : 'quiet'}>
          {outboundEnabled ? say.outboundWords.yes : say.outboundWords.no}
        </StatusBadge>
      ),
    },
    {
      key: 'created',
      header: say.created,
      value: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Time at={createdAt} relative />,
      wideOnly: true,
    },
  ]
}
