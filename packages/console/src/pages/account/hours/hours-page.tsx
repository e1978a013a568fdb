import { Button, TextInput, Select } from '@mantine/core'
import { useState, type ReactNode } from 'react'
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
import { ScheduleState, useSwitch, type Schedule } from './schedule-state.tsx'
import { text } from './text.ts'
import { hereZone, defaultWeek } from './span-fields.tsx'

/** Milliseconds; the state changes with the time. */
const intervalMs = 30_000

export const HoursPage = () => {
  const say = useText(text)
  const may = useMay()
  const schedules = useRead('listSchedules', {}, { every: intervalMs })
  const columns = useColumns()
  const [adding, setAdding] = useState(false)
  const mayChange = may('CAN_CHANGE_SCHEDULES')
  return (
    <Page title={say.title} description={say.lead} actions={mayChange && <AddButton onClick={() => setAdding(true)}>{say.add}</AddButton>}>
      <Section flush>
        <List
          query={schedules}
          label={say.title}
          columns={columns}
          rowKey={({ id }) => id}
          rowTo={({ id }) => `/hours/${id}`}
          {...(may('CAN_OVERRIDE_SCHEDULE') && { rowActions: (schedule: Schedule) => <RowSwitch schedule={schedule} /> })}
          empty={
            <EmptyState icon="clock" title={say.empty}>
              {mayChange ? say.emptyHint : say.emptyUser}
            </EmptyState>
          }
        />
      </Section>
      {adding && <NewSchedule onClose={() => setAdding(false)} />}
    </Page>
  )
}

const useColumns = (): Column<Schedule>[] => {
  const say = useText(text)
  return [
    { key: 'name', header: say.name, cell: ({ name }) => name },
    {
      key: 'state',
      header: say.state,
      cell: (schedule) => <ScheduleState schedule={schedule} />,
      value: ({ state }) => (state.open ? say.open : say.closed),
    },
    { key: 'timeZone', header: say.timeZone, cell: ({ timeZone }) => timeZone, wideOnly: true },
    { key: 'usedBy', header: say.usedBy, cell: ({ usedBy }) => say.uses(usedBy.length), wideOnly: true },
  ]
}

const RowSwitch = ({ schedule }: { schedule: Schedule }) => {
  const say = useText(text)
  const { to, pending } = useSwitch(schedule)
  const { override, state, name } = schedule
  const [label, wanted] = override
    ? ([say.asScheduled, null] as const)
    : state.open
      ? ([say.closeToday, 'CLOSED'] as const)
      : ([say.openToday, 'OPEN'] as const)
  return (
    <Button size="xs" variant="default" loading={pending} onClick={() => to(wanted)} aria-label={`${name}: ${label}`}>
      {label}
    </Button>
  )
}

const NewSchedule = ({ onClose }: { onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const [, go] = useLocation()
  const create = useWrite('createSchedule', {
    refreshes: ['listSchedules'],
    onDone: ({ id }) => {
      toast.done(say.created)
      go(`/hours/${id}`)
    },
  })
  const form = useForm({ name: '', timeZone: hereZone() }, create.error)
  return (
    <FormModal
      opened
      title={say.addTitle}
      submit={say.add}
      onClose={onClose}
      onSubmit={() => create.mutate([{}, { ...form.values, week: defaultWeek, days: [] }])}
      pending={create.isPending}
      error={create.error}
    >
      <TextInput label={say.name} placeholder={say.nameHint} required maxLength={100} data-autofocus {...form.text('name')} />
      <TimeZoneField {...form.value('timeZone')} />
    </FormModal>
  )
}

interface TimeZoneFieldProps {
  value: string
  onChange: (zone: string) => void
  error?: ReactNode
}

export const TimeZoneField = ({ value, onChange, error }: TimeZoneFieldProps) => {
  const say = useText(text)
  const zones = [...new Set(['UTC', value, ...Intl.supportedValuesOf('timeZone')])].toSorted()
  return (
    <Select
      label={say.timeZone}
      data={zones}
      value={value}
      onChange={(zone) => zone !== null && onChange(zone)}
      searchable
      allowDeselect={false}
      limit={50}
      error={error}
    />
  )
}
