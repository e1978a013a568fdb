import { Text } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useMay } from '../../../api/use-may.ts'
import { useRead, useWrite, type OutputOf } from '../../../api/use-service.ts'
import { AddButton } from '../../../parts/add-button.tsx'
import { DataTable, type Column } from '../../../parts/data-table.tsx'
import { EmptyState } from '../../../parts/empty-state.tsx'
import { FormModal } from '../../../parts/form-modal.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Page } from '../../../parts/page.tsx'
import { Section } from '../../../parts/section.tsx'
import { useToast } from '../../../parts/toast.tsx'
import { useForm } from '../../../parts/use-form.ts'
import { useFormat } from '../../../parts/use-format.ts'
import { useText } from '../../../words/use-text.tsx'
import { freshGroup, GroupFields } from './group-fields.tsx'
import { text } from './text.ts'

type Row = OutputOf<'listGroups'>['items'][number]

export const GroupsPage = () => {
  const say = useText(text)
  const may = useMay()
  const groups = useRead('listGroups')
  const columns = useColumns()
  const [adding, setAdding] = useState(false)
  const mayChange = may('CAN_CHANGE_GROUPS')
  const add = mayChange && <AddButton onClick={() => setAdding(true)}>{say.add}</AddButton>
  return (
    <Page title={say.title} description={say.lead} actions={add}>
      <Section flush>
        <Loaded query={groups}>
          {({ items }) => (
            <DataTable
              label={say.title}
              rows={items}
              columns={columns}
              rowKey={({ id }) => id}
              rowTo={({ id }) => `/groups/${id}`}
              empty={
                <EmptyState icon="group" title={say.empty}>
                  {mayChange ? say.emptyAdmin : say.emptyUser}
                </EmptyState>
              }
            />
          )}
        </Loaded>
      </Section>
      {adding && <NewGroup onClose={() => setAdding(false)} />}
    </Page>
  )
}

const useColumns = (): Column<Row>[] => {
  const say = useText(text)
  const { phone } = useFormat()
  const numbers = useRead('listNumbers').data?.items ?? []
  const numbersOf = (group: string) => numbers.filter(({ endpointId }) => endpointId === group).map(({ number }) => phone(number))
  return [
    { key: 'alias', header: say.group, cell: ({ alias }) => alias },
    {
      key: 'numbers',
      header: say.numbers,
      cell: ({ id }) =>
        numbersOf(id).join(', ') || (
          <Text span inherit c="dimmed">
            {say.none}
          </Text>
        ),
    },
  ]
}

const NewGroup = ({ onClose }: { onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const [, go] = useLocation()
  const create = useWrite('createGroup', {
    refreshes: ['listGroups', 'listInternalContacts'],
    onDone: ({ id }) => {
      toast.done(say.created)
      go(`/groups/${id}`)
    },
  })
  const users = useRead('listUsers')
  const form = useForm(freshGroup, create.error)
  const submit = (): void => create.mutate([{}, { ...form.values, ringSeconds: Number(form.values.ringSeconds) }])
  return (
    <FormModal
      opened
      title={say.addTitle}
      submit={say.add}
      onClose={onClose}
      onSubmit={submit}
      pending={create.isPending}
      error={create.error}
    >
      <GroupFields form={form} users={users.data?.items ?? []} error={create.error} />
    </FormModal>
  )
}
