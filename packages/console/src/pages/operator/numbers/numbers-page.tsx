import { Box } from '@mantine/core'
import { useState } from 'react'
import { api } from '#api/client.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { PhoneNumber } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { AccountLink } from '../parts/account-link.tsx'
import { AccountSelect } from '../parts/account-select.tsx'
import { text as sharedText } from '../parts/text.ts'
import { useListState } from '#parts/list/use-list-state.ts'
import { usePages } from '#parts/list/use-pages.ts'
import { AssignNumber } from './assign-number.tsx'
import { NumberMenu, type OperatorNumber } from './number-menu.tsx'
import { text } from './text.ts'

const tones: Record<OperatorNumber['state'], Tone> = {
  ACTIVE: 'good',
  ADDRESS_PENDING: 'warning',
  DEACTIVATED: 'quiet',
  PORTING_IN: 'busy',
  PORTED_OUT: 'quiet',
}

/** Every number, whose it is and whether it works. */
export const NumbersPage = () => {
  const say = useText(text)
  const state = useListState()
  const [accountId, number] = [state.filter('account'), state.search.trim()]
  const [assigning, setAssigning] = useState(false)
  const filter = { ...(accountId !== '' && { accountId }), ...(number !== '' && { number }) }
  const pages = usePages(
    'listAllNumbers',
    filter,
    (page) => api.listAllNumbers({ ...filter, ...page }),
    ({ id }) => id,
  )
  const columns = useColumns()
  const filtered = accountId !== ''
  const assign = <AddButton onClick={() => setAssigning(true)}>{say.assign}</AddButton>
  return (
    <Page title={say.title} description={say.description} actions={assign}>
      <Box maw="24rem">
        <AccountSelect optional value={accountId} onChange={(account) => state.set({ account })} />
      </Box>
      <Section flush>
        <List
          pages={pages}
          label={say.list}
          columns={columns}
          rowKey={({ id }) => id}
          search={say.find}
          rowActions={(row) => <NumberMenu number={row} />}
          empty={
            <EmptyState
              icon={filtered ? 'search' : 'hash'}
              title={filtered ? say.noMatch : say.none}
              {...(!filtered && { action: assign })}
            >
              {filtered ? say.noMatchHint : say.noneHint}
            </EmptyState>
          }
        />
      </Section>
      {assigning && <AssignNumber accountId={accountId} onClose={() => setAssigning(false)} />}
    </Page>
  )
}

const useColumns = (): Column<OperatorNumber>[] => {
  const say = useText(text)
  const { account } = useText(sharedText)
  const format = useFormat()
  return [
    { key: 'number', header: say.number, value: ({ number }) => number, cell: ({ number }) => <PhoneNumber number={number} /> },
    {
      key: 'account',
      header: account,
      value: ({ accountId }) => accountId,
      cell: ({ accountId }) => <AccountLink accountId={accountId} />,
    },
    {
      key: 'state',
      header: say.state,
      cell: ({ state, decideBy }) => (
        <StatusBadge tone={tones[state]}>
          {say.states[state]}
          {decideBy === undefined ? '' : `, ${say.decideBy(format.day(decideBy))}`}
        </StatusBadge>
      ),
    },
    { key: 'type', header: say.type, cell: ({ type }) => say.types[type], wideOnly: true },
    { key: 'endpoint', header: say.leadsTo, cell: ({ endpointAlias, endpointId }) => endpointAlias || endpointId || say.nowhere },
  ]
}
