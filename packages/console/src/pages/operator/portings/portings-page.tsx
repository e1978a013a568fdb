import { Box, Select, SimpleGrid, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api } from '#api/client.ts'
import { type OutputOf, useRead, useWrite } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { AccountLink } from '../parts/account-link.tsx'
import { AccountSelect } from '../parts/account-select.tsx'
import { text as sharedText } from '../parts/text.ts'
import { useListState } from '#parts/list/use-list-state.ts'
import { usePages } from '#parts/list/use-pages.ts'
import { PortingState } from './porting-state.tsx'
import { text } from './text.ts'
import { useLocation } from 'wouter'
import { FormModal } from '#parts/form/form-modal.tsx'
import { fieldProblem, useForm } from '#parts/form/use-form.ts'
import { HolderFields, noHolder } from '#pages/account/portings/porting-form.tsx'

type Porting = OutputOf<'listAllPortings'>['items'][number]

/** Portings in both directions. */
export const PortingsPage = () => {
  const say = useText(text)
  const state = useListState()
  const accountId = state.filter('account')
  const [creating, setCreating] = useState(false)
  const filter = { ...(accountId !== '' && { accountId }) }
  const pages = usePages(
    'listAllPortings',
    filter,
    (page) => api.listAllPortings({ ...filter, ...page }),
    ({ id }) => String(id),
  )
  const columns = useColumns()
  return (
    <Page title={say.title} description={say.description} actions={<AddButton onClick={() => setCreating(true)}>{say.create}</AddButton>}>
      <Box maw="24rem">
        <AccountSelect optional value={accountId} onChange={(account) => state.set({ account })} />
      </Box>
      <Section flush>
        <List
          pages={pages}
          label={say.list}
          columns={columns}
          rowKey={({ id }) => String(id)}
          rowTo={({ id }) => `/operator/portings/${id}`}
          empty={
            <EmptyState icon="shuffle" title={say.none}>
              {say.noneHint}
            </EmptyState>
          }
        />
      </Section>
      {creating && <CreatePorting accountId={accountId} onClose={() => setCreating(false)} />}
    </Page>
  )
}

const useColumns = (): Column<Porting>[] => {
  const say = useText(text)
  const { account } = useText(sharedText)
  const format = useFormat()
  return [
    {
      key: 'numbers',
      header: say.numbers,
      cell: ({ numbers }) =>
        numbers
          .slice(0, 2)
          .map(({ number }) => format.phone(number).replaceAll(' ', '\u00a0'))
          .join(', ') + (numbers.length > 2 ? ' …' : ''),
    },
    { key: 'state', header: say.state, cell: ({ status }) => <PortingState status={status} /> },
    { key: 'direction', header: say.direction, cell: ({ direction }) => say.directions[direction] },
    {
      key: 'account',
      header: account,
      value: ({ accountId }) => accountId,
      cell: ({ accountId }) => <AccountLink accountId={accountId} />,
    },
    { key: 'carrier', header: say.carrier, cell: ({ carrier }) => carrier ?? say.unknownCarrier, wideOnly: true },
    { key: 'date', header: say.date, cell: ({ portDate }) => (portDate === '' ? '–' : format.date(portDate).replaceAll(' ', '\u00a0')) },
  ]
}

const nothing = {
  accountId: '',
  numbers: '',
  carrier: null as string | null,
  portDate: '',
  email: '',
  ...noHolder,
}

type Values = typeof nothing

const bodyOf = ({ accountId, numbers, carrier, portDate, email, ...holder }: Values) => ({
  accountId,
  numbers: numbers.split(/[\n,;]+/).flatMap((number) => (number.trim() === '' ? [] : [number.trim()])),
  holder,
  email,
  ...(carrier !== null && { carrier }),
  ...(portDate !== '' && { portDate }),
})

/** Starts a porting for an account. */
export const CreatePorting = ({ accountId, onClose }: { accountId: string; onClose: () => void }) => {
  const say = useText(text)
  const [, go] = useLocation()
  const carriers = useRead('listCarriers')
  const create = useWrite('createPorting', { refreshes: ['listAllPortings'], onDone: ({ id }) => go(`/operator/portings/${id}`) })
  const form = useForm({ ...nothing, accountId }, create.error)
  const choices = (carriers.data?.items ?? []).map(({ code, name }) => ({ value: code, label: `${name} (${code})` }))
  return (
    <FormModal
      opened
      title={say.create}
      onClose={onClose}
      onSubmit={() => create.mutate([{}, bodyOf(form.values)])}
      submit={say.create}
      pending={create.isPending}
      error={create.error}
      size="lg"
    >
      <AccountSelect
        value={form.values.accountId}
        onChange={(chosen) => form.set('accountId', chosen)}
        error={fieldProblem(create.error, 'accountId')}
      />
      <Textarea label={say.numbers} description={say.numbersHint} required autosize minRows={2} {...form.text('numbers')} />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select label={say.carrier} description={say.carrierHint} clearable data={choices} {...form.value('carrier')} />
        <TextInput type="date" label={say.date} description={say.dateHint} {...form.text('portDate')} />
      </SimpleGrid>
      <HolderFields form={form} error={create.error} />
      <TextInput type="email" label={say.email} description={say.emailHint} required {...form.text('email')} />
    </FormModal>
  )
}
