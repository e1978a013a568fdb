import { Button } from '@mantine/core'
import { useState } from 'react'
import { api } from '#api/client.ts'
import type { OutputOf } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useText } from '#words/use-text.tsx'
import { AccountLink } from '../parts/account-link.tsx'
import { text as sharedText } from '../parts/text.ts'
import { usePages } from '#parts/list/use-pages.ts'
import { text } from './text.ts'
import { AddCard } from './add-card.tsx'

type Card = OutputOf<'listSimCards'>['items'][number]

const tones: Record<Card['state'], Tone> = { STOCK: 'quiet', SHIPPED: 'busy', ACTIVE: 'good', DEACTIVATED: 'bad' }

export const SimCards = () => {
  const say = useText(text)
  const { account } = useText(sharedText)
  const [adding, setAdding] = useState(false)
  const pages = usePages(
    'listSimCards',
    {},
    (page) => api.listSimCards(page),
    ({ iccid }) => iccid,
  )
  const columns: Column<Card>[] = [
    { key: 'iccid', header: say.iccid, cell: ({ iccid }) => iccid },
    {
      key: 'state',
      header: say.state,
      value: ({ state }) => say.cardStates[state],
      cell: ({ state }) => <StatusBadge tone={tones[state]}>{say.cardStates[state]}</StatusBadge>,
    },
    {
      key: 'account',
      header: account,
      value: ({ accountId }) => accountId,
      cell: ({ accountId }) => (accountId === undefined ? '–' : <AccountLink accountId={accountId} />),
    },
    { key: 'device', header: say.device, cell: ({ deviceId }) => deviceId ?? '–' },
  ]
  const add = (
    <Button size="xs" variant="default" leftSection={<Icon name="plus" size={14} />} onClick={() => setAdding(true)}>
      {say.addCard}
    </Button>
  )
  return (
    <Section title={say.cards} flush actions={add}>
      <List
        name="cards"
        pages={pages}
        label={say.cards}
        columns={columns}
        rowKey={({ iccid }) => iccid}
        empty={
          <EmptyState icon="sim" title={say.noCard}>
            {say.noCardHint}
          </EmptyState>
        }
      />
      {adding && <AddCard onClose={() => setAdding(false)} />}
    </Section>
  )
}
