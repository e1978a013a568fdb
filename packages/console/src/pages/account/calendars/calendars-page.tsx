import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { AddButton } from '#parts/page/add-button.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { TimeZoneField } from '../hours/hours-page.tsx'
import { defaultWeek, hereZone } from '../hours/span-fields.tsx'
import { text } from './text.ts'
import { slugOf, type Calendar } from './week.ts'

export const CalendarsPage = () => {
  const say = useText(text)
  const mayChange = useMay()('CAN_CHANGE_CALENDARS')
  const calendars = useRead('listCalendars')
  const columns = useColumns()
  const [adding, setAdding] = useState(false)
  return (
    <Page title={say.title} description={say.lead} actions={mayChange && <AddButton onClick={() => setAdding(true)}>{say.add}</AddButton>}>
      <Section flush>
        <List
          query={calendars}
          label={say.title}
          columns={columns}
          rowKey={({ id }) => id}
          rowTo={({ id }) => `/calendars/${id}`}
          empty={
            <EmptyState icon="clock" title={say.empty}>
              {mayChange ? say.emptyHint : say.emptyUser}
            </EmptyState>
          }
        />
      </Section>
      {adding && <NewCalendar onClose={() => setAdding(false)} />}
    </Page>
  )
}

const useColumns = (): Column<Calendar>[] => {
  const say = useText(text)
  return [
    { key: 'name', header: say.name, cell: ({ name }) => name },
    { key: 'services', header: say.services, cell: ({ services }) => services.map(({ name }) => name).join(', '), wideOnly: true },
    { key: 'people', header: say.people, cell: ({ people }) => people.map(({ name }) => name).join(', '), wideOnly: true },
    { key: 'timeZone', header: say.timeZone, cell: ({ timeZone }) => timeZone, wideOnly: true },
  ]
}

const NewCalendar = ({ onClose }: { onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const [, go] = useLocation()
  const create = useWrite('createCalendar', {
    refreshes: ['listCalendars'],
    onDone: ({ id }) => {
      toast.done(say.created)
      go(`/calendars/${id}/settings`)
    },
  })
  const form = useForm({ name: '', service: '', person: '', timeZone: hereZone() }, create.error)
  const { name, service, person, timeZone } = form.values
  const submit = (): void =>
    create.mutate([
      {},
      {
        name,
        timeZone,
        week: defaultWeek,
        days: [],
        services: [{ id: slugOf(service, []), name: service, minutes: 30 }],
        people: [{ id: slugOf(person, []), name: person }],
      },
    ])
  return (
    <FormModal
      opened
      title={say.addTitle}
      submit={say.add}
      onClose={onClose}
      onSubmit={submit}
      disabled={[name, service, person].some((value) => value.trim() === '')}
      pending={create.isPending}
      error={create.error}
    >
      <TextInput label={say.name} placeholder={say.nameHint} required maxLength={100} data-autofocus {...form.text('name')} />
      <TextInput label={say.firstService} required maxLength={100} {...form.text('service')} />
      <TextInput label={say.firstPerson} required maxLength={100} {...form.text('person')} />
      <TimeZoneField {...form.value('timeZone')} />
    </FormModal>
  )
}
