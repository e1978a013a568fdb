import { useState } from 'react'
import { useLocation } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { PhoneNumbers } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { useNumbersOf } from '../parts/use-numbers-of.ts'
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
        <List
          query={groups}
          label={say.title}
          columns={columns}
          rowKey={({ id }) => id}
          rowTo={({ id }) => `/groups/${id}`}
          empty={
            <EmptyState icon="group" title={say.empty}>
              {mayChange ? say.emptyAdmin : say.emptyUser}
            </EmptyState>
          }
        />
      </Section>
      {adding && <NewGroup onClose={() => setAdding(false)} />}
    </Page>
  )
}

const useColumns = (): Column<Row>[] => {
  const say = useText(text)
  const numbersOf = useNumbersOf()
  return [
    { key: 'alias', header: say.group, cell: ({ alias }) => alias },
    {
      key: 'numbers',
      header: say.numbers,
      value: ({ id }) => numbersOf(id).join(', '),
      cell: ({ id }) => <PhoneNumbers numbers={numbersOf(id)} none={say.none} />,
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
