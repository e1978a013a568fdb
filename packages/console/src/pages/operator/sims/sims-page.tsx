import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { SimOrders } from './sim-orders.tsx'
import { text } from './text.ts'
import { Button, SimpleGrid, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api } from '#api/client.ts'
import { type OutputOf, useWrite } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { AccountLink } from '../parts/account-link.tsx'
import { text as sharedText } from '../parts/text.ts'
import { usePages } from '#parts/list/use-pages.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { fieldProblem, useForm } from '#parts/form/use-form.ts'
import { AccountSelect } from '../parts/account-select.tsx'

export const SimsPage = () => {
  const say = useText(text)
  return (
    <Page title={say.title} description={say.description}>
      <SimOrders />
      <SimCards />
    </Page>
  )
}

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

export const AddCard = ({ onClose }: { onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const add = useWrite('addSimCard', {
    refreshes: ['listSimCards'],
    onDone: () => {
      toast.done(say.added)
      onClose()
    },
  })
  const form = useForm({ iccid: '', imsi: '', puk1: '', puk2: '', accountId: '' }, add.error)
  const submit = (): void => {
    const { imsi, accountId, ...rest } = form.values
    add.mutate([{}, { ...rest, ...(imsi !== '' && { imsi }), ...(accountId !== '' && { accountId }) }])
  }
  return (
    <FormModal
      opened
      title={say.addCard}
      onClose={onClose}
      onSubmit={submit}
      submit={say.addCard}
      pending={add.isPending}
      error={add.error}
    >
      <TextInput label={say.iccid} description={say.iccidHint} required inputMode="numeric" data-autofocus {...form.text('iccid')} />
      <TextInput label={say.imsi} inputMode="numeric" {...form.text('imsi')} />
      <SimpleGrid cols={2}>
        <TextInput label={say.puk(1)} required inputMode="numeric" {...form.text('puk1')} />
        <TextInput label={say.puk(2)} required inputMode="numeric" {...form.text('puk2')} />
      </SimpleGrid>
      <AccountSelect
        optional
        label={say.handTo}
        value={form.values.accountId}
        onChange={(chosen) => form.set('accountId', chosen)}
        error={fieldProblem(add.error, 'accountId')}
      />
    </FormModal>
  )
}
