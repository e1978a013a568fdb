import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead, type OutputOf, useWrite } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { PhoneNumbers } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { useWhose } from '#lazy-parts/people.ts'
import { UserPicker } from '#lazy-parts/user-picker.tsx'
import { text } from './text.ts'
import { useLocation } from 'wouter'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'

type Line = OutputOf<'listPhonelines'>['items'][number]

export const LinesPage = () => {
  const say = useText(text)
  const may = useMay()
  const whose = useWhose()
  const { userId = '' } = whose
  const lines = useRead('listPhonelines', { userId }, { when: userId !== '' })
  const columns = useColumns(userId)
  const [adding, setAdding] = useState(false)
  const actions = (
    <>
      <UserPicker whose={whose} />
      {may('CAN_CREATE_PHONELINES') && <AddButton onClick={() => setAdding(true)}>{say.add}</AddButton>}
    </>
  )
  return (
    <Page title={say.title} description={say.lead} actions={actions}>
      <Section flush>
        <List
          query={lines}
          label={say.title}
          columns={columns}
          rowKey={({ id }) => id}
          rowTo={({ id }) => `/lines/${userId}/${id}`}
          empty={
            <EmptyState icon="line" title={say.empty}>
              {say.emptyBody}
            </EmptyState>
          }
        />
      </Section>
      {adding && <NewLine userId={userId} onClose={() => setAdding(false)} />}
    </Page>
  )
}

/** Numbers and devices come from their own lists, so that many lines need no more requests than one. */
const useColumns = (userId: string): Column<Line>[] => {
  const say = useText(text)
  const may = useMay()
  const numbers = useRead('listNumbers', {}, { when: may('CAN_GET_NUMBERS') }).data?.items ?? []
  const devices = useRead('listUserDevices', { userId }, { when: userId !== '' && may('CAN_GET_DEVICES') }).data?.items ?? []
  const numbersOf = (line: string) => numbers.filter(({ endpointId }) => endpointId === line).map(({ number }) => number)
  const devicesOf = (line: string) =>
    devices.filter(({ activePhonelines }) => activePhonelines.some(({ id }) => id === line)).map(({ alias }) => alias)
  return [
    { key: 'alias', header: say.line, cell: ({ alias }) => alias },
    {
      key: 'numbers',
      header: say.numbers,
      value: ({ id }) => numbersOf(id).join(', '),
      cell: ({ id }) => <PhoneNumbers numbers={numbersOf(id)} none={say.none} />,
    },
    {
      key: 'devices',
      header: say.devices,
      value: ({ id }) => devicesOf(id).join(', '),
      cell: ({ id }) =>
        devicesOf(id).join(', ') || (
          <Text span inherit c="dimmed">
            {say.none}
          </Text>
        ),
    },
  ]
}

export const NewLine = ({ userId, onClose }: { userId: string; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const [, go] = useLocation()
  const create = useWrite('createPhoneline', {
    refreshes: ['listPhonelines'],
    onDone: ({ id }) => {
      toast.done(say.created)
      go(`/lines/${userId}/${id}`)
    },
  })
  const form = useForm({ alias: '' }, create.error)
  return (
    <FormModal
      opened
      title={say.addTitle}
      submit={say.add}
      onClose={onClose}
      onSubmit={() => create.mutate([{ userId }, { alias: form.values.alias }])}
      pending={create.isPending}
      error={create.error}
    >
      <TextInput label={say.name} placeholder={say.nameHint} required maxLength={100} data-autofocus {...form.text('alias')} />
    </FormModal>
  )
}
