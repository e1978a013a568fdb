import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { DataTable, type Column } from '../../../parts/data-table.tsx'
import { EmptyState } from '../../../parts/empty-state.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Page } from '../../../parts/page.tsx'
import { Section } from '../../../parts/section.tsx'
import { StatusBadge } from '../../../parts/status-badge.tsx'
import { Time } from '../../../parts/values.tsx'
import { useText } from '../../../words/use-text.tsx'
import { useAccounts, type Account } from '../use-accounts.ts'
import { CreateAccount } from './create-account.tsx'
import { text } from './text.ts'

/** Everybody who has an account here. */
export const AccountsPage = () => {
  const say = useText(text)
  const accounts = useAccounts()
  const [sought, setSought] = useState('')
  const [creating, setCreating] = useState(false)
  const columns = useColumns()
  const create = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setCreating(true)}>
      {say.create}
    </Button>
  )
  const empty =
    sought === '' ? (
      <EmptyState icon="group" title={say.none} action={create}>
        {say.noneHint}
      </EmptyState>
    ) : (
      <EmptyState icon="search" title={say.noMatch}>
        {say.noMatchHint}
      </EmptyState>
    )
  return (
    <Page title={say.title} description={say.description} actions={create}>
      <TextInput
        aria-label={say.search}
        placeholder={say.search}
        leftSection={<Icon name="search" size={16} />}
        value={sought}
        onChange={(event) => setSought(event.currentTarget.value)}
        maw="24rem"
      />
      <Section flush>
        <Loaded query={accounts}>
          {(all) => (
            <DataTable
              label={say.list}
              rows={all.filter((account) => fits(account, sought))}
              columns={columns}
              rowKey={({ id }) => id}
              rowTo={({ id }) => `/operator/accounts/${id}`}
              empty={empty}
            />
          )}
        </Loaded>
      </Section>
      {creating && <CreateAccount onClose={() => setCreating(false)} />}
    </Page>
  )
}

const fits = ({ id, company }: Account, sought: string): boolean => `${company} ${id}`.toLowerCase().includes(sought.trim().toLowerCase())

const useColumns = (): Column<Account>[] => {
  const say = useText(text)
  return [
    { key: 'company', header: say.company, cell: ({ company }) => company },
    { key: 'id', header: say.number, cell: ({ id }) => id },
    { key: 'country', header: say.country, cell: ({ country }) => country, wideOnly: true },
    { key: 'tariff', header: say.tariff, cell: ({ tariffId }) => tariffId ?? '–', wideOnly: true },
    {
      key: 'verified',
      header: say.verified,
      cell: ({ verified }) => (
        <StatusBadge tone={verified ? 'good' : 'quiet'}>{verified ? say.verifiedWords.yes : say.verifiedWords.no}</StatusBadge>
      ),
    },
    {
      key: 'outbound',
      header: say.outbound,
      cell: ({ outboundEnabled }) => (
        <StatusBadge tone={outboundEnabled ? 'good' : 'quiet'}>
          {outboundEnabled ? say.outboundWords.yes : say.outboundWords.no}
        </StatusBadge>
      ),
    },
    { key: 'created', header: say.created, cell: ({ createdAt }) => <Time at={createdAt} relative />, wideOnly: true },
  ]
}
