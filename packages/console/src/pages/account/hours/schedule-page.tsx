import { Button, Group, Stack, TextInput } from '@mantine/core'
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
import { DaySwitch, type Schedule } from './schedule-state.tsx'
import { SpecialDays } from './special-days.tsx'
import { text } from './text.ts'
import { TimeZoneField } from './time-zone-field.tsx'
import { WeekFields } from './week-fields.tsx'

/** What the clock changes by itself is looked at again. */
const intervalMs = 30_000

export const SchedulePage = () => {
  const say = useText(text)
  const { scheduleId } = useParams<{ scheduleId: string }>()
  const mayChange = useMay()('CAN_CHANGE_SCHEDULES')
  const schedule = useRead('getSchedule', { scheduleId }, { every: intervalMs })
  return (
    <Page
      title={schedule.data?.name ?? say.title}
      back={{ to: '/hours', label: say.back }}
      width="narrow"
      actions={mayChange && schedule.data && <DeleteSchedule schedule={schedule.data} />}
    >
      {schedule.isError && <ErrorNotice error={schedule.error} />}
      {schedule.isPending && <WaitingRows />}
      {schedule.data && (
        <>
          <DaySwitch schedule={schedule.data} />
          <ScheduleForm key={schedule.data.updatedAt} schedule={schedule.data} disabled={!mayChange} />
        </>
      )}
    </Page>
  )
}

const ScheduleForm = ({ schedule, disabled }: { schedule: Schedule; disabled: boolean }) => {
  const say = useText(text)
  const { save } = useText(partsText)
  const toast = useToast()
  const { id: scheduleId, name, timeZone, week, days } = schedule
  const change = useWrite('changeSchedule', { refreshes: ['getSchedule', 'listSchedules'], onDone: () => toast.done(say.saved) })
  const form = useForm({ name, timeZone, week, days }, change.error)
  useLeaveGuard(form.changed)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    change.mutate([{ scheduleId }, form.values])
  }
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="lg">
        <Section title={say.settings}>
          <Stack maw={420}>
            <TextInput label={say.name} required maxLength={100} disabled={disabled} {...form.text('name')} />
            {disabled ? (
              <TextInput label={say.timeZone} value={timeZone} disabled readOnly />
            ) : (
              <TimeZoneField {...form.value('timeZone')} />
            )}
          </Stack>
        </Section>
        <Section title={say.week} description={say.weekHint}>
          <WeekFields week={form.values.week} disabled={disabled} onChange={(changed) => form.set('week', changed)} />
        </Section>
        <SpecialDays days={form.values.days} disabled={disabled} onChange={(changed) => form.set('days', changed)} />
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

const DeleteSchedule = ({ schedule: { id: scheduleId, name } }: { schedule: Schedule }) => {
  const say = useText(text)
  const toast = useToast()
  const confirm = useConfirm()
  const [, go] = useLocation()
  const remove = useWrite('deleteSchedule', {
    refreshes: ['listSchedules'],
    onDone: () => {
      toast.done(say.deleted)
      go('/hours')
    },
  })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.deleteTitle(name), body: say.deleteBody, confirm: say.delete }))
      remove.mutate([{ scheduleId }], { onError: (error) => toast.failed(error) })
  }
  return (
    <Button variant="default" leftSection={<Icon name="trash" size={16} />} loading={remove.isPending} onClick={() => void ask()}>
      {say.delete}
    </Button>
  )
}
