import { Button, Group, NumberInput, Stack, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { useLocation, useParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { useLeaveGuard } from '#parts/leave/leave-guard.ts'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { text as partsText } from '#parts/text.ts'
import { useText } from '#words/use-text.tsx'
import { TimeZoneField } from '../hours/hours-page.tsx'
import { SpecialDays, WeekFields } from '../hours/schedule-page.tsx'
import { PeopleFields, ServiceFields } from './people-and-services.tsx'
import { text } from './text.ts'
import type { Calendar } from './week.ts'

export const CalendarSettingsPage = () => {
  const say = useText(text)
  const { calendarId } = useParams<{ calendarId: string }>()
  const mayChange = useMay()('CAN_CHANGE_CALENDARS')
  const calendar = useRead('getCalendar', { calendarId })
  return (
    <Page
      title={calendar.data?.name ?? say.title}
      back={{ to: `/calendars/${calendarId}`, label: say.backToWeek }}
      width="narrow"
      actions={mayChange && calendar.data && <DeleteCalendar calendar={calendar.data} />}
    >
      {calendar.isError && <ErrorNotice error={calendar.error} />}
      {calendar.isPending && <WaitingRows />}
      {calendar.data && <SettingsForm key={calendar.data.updatedAt} calendar={calendar.data} disabled={!mayChange} />}
    </Page>
  )
}

const defaults = { stepMinutes: 15, noticeMinutes: 0, horizonDays: 60, holdMinutes: 5 }

const SettingsForm = ({ calendar, disabled }: { calendar: Calendar; disabled: boolean }) => {
  const say = useText(text)
  const { save } = useText(partsText)
  const toast = useToast()
  const { id: calendarId, updatedAt: _, ...began } = calendar
  const change = useWrite('changeCalendar', {
    refreshes: ['getCalendar', 'listCalendars', 'findFreeSlots'],
    onDone: () => toast.done(say.saved),
  })
  const form = useForm({ ...defaults, ...began }, change.error)
  useLeaveGuard(form.changed)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    change.mutate([{ calendarId }, form.values])
  }
  const count = (name: keyof typeof defaults) => ({
    value: form.values[name],
    disabled,
    onChange: (value: number | string) => form.set(name, Number(value)),
  })
  const { week, days, people, services } = form.values
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="lg">
        <Section title={say.general}>
          <Stack maw={420}>
            <TextInput label={say.name} required maxLength={100} disabled={disabled} {...form.text('name')} />
            {disabled ? (
              <TextInput label={say.timeZone} value={form.values.timeZone} disabled readOnly />
            ) : (
              <TimeZoneField {...form.value('timeZone')} />
            )}
            <NumberInput label={say.step} min={5} max={120} step={5} {...count('stepMinutes')} />
            <NumberInput label={say.notice} min={0} max={43_200} {...count('noticeMinutes')} />
            <NumberInput label={say.horizon} min={1} max={366} {...count('horizonDays')} />
            <NumberInput label={say.hold} min={1} max={60} {...count('holdMinutes')} />
          </Stack>
        </Section>
        <Section title={say.services}>
          <ServiceFields services={services} people={people} disabled={disabled} onChange={(next) => form.set('services', next)} />
        </Section>
        <Section title={say.people}>
          <PeopleFields people={people} week={week} disabled={disabled} onChange={(next) => form.set('people', next)} />
        </Section>
        <Section title={say.hours} description={say.hoursHint}>
          <WeekFields week={week} disabled={disabled} onChange={(next) => form.set('week', next)} />
        </Section>
        <SpecialDays days={days} disabled={disabled} onChange={(next) => form.set('days', next)} />
        <ErrorNotice error={change.error} />
        {!disabled && (
          <Group>
            <Button type="submit" loading={change.isPending} disabled={!form.changed}>
              {save}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}

const DeleteCalendar = ({ calendar: { id: calendarId, name } }: { calendar: Calendar }) => {
  const say = useText(text)
  const toast = useToast()
  const confirm = useConfirm()
  const [, go] = useLocation()
  const remove = useWrite('deleteCalendar', {
    refreshes: ['listCalendars'],
    onDone: () => {
      toast.done(say.deleted)
      go('/calendars')
    },
  })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.deleteTitle(name), body: say.deleteBody, confirm: say.delete }))
      remove.mutate([{ calendarId }], { onError: (error) => toast.failed(error) })
  }
  return (
    <Button variant="default" leftSection={<Icon name="trash" size={16} />} loading={remove.isPending} onClick={() => void ask()}>
      {say.delete}
    </Button>
  )
}
