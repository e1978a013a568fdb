import { Button, Group, Stack, TextInput, Text, ActionIcon, Checkbox, NumberInput, Select } from '@mantine/core'
import { type FormEvent, Fragment, useState } from 'react'
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
import { text } from './text.ts'
import { TimeZoneField } from './hours-page.tsx'
import classes from './hours.module.css'
import { SpanFields } from './span-fields.tsx'
import { asMonday, weekdays, type Week, type Day } from './span-fields.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useFormat } from '#parts/value/use-format.ts'

/** Milliseconds; the state changes with the time. */
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

interface WeekFieldsProps {
  week: Week
  onChange: (week: Week) => void
  disabled: boolean
}

export const WeekFields = ({ week, onChange, disabled }: WeekFieldsProps) => {
  const say = useText(text)
  return (
    <>
      <div className={classes.week}>
        {weekdays.map((weekday) => (
          <Fragment key={weekday}>
            <Text size="sm" fw={550} className={classes.weekday}>
              {say.weekdays[weekday]}
            </Text>
            <SpanFields
              day={say.weekdays[weekday]}
              spans={week[weekday] ?? []}
              disabled={disabled}
              onChange={(spans) => onChange({ ...week, [weekday]: spans })}
            />
          </Fragment>
        ))}
      </div>
      {!disabled && (
        <Button variant="subtle" size="xs" mt="sm" onClick={() => onChange(asMonday(week))}>
          {say.asMonday}
        </Button>
      )}
    </>
  )
}

interface SpecialDaysProps {
  days: readonly Day[]
  onChange: (days: Day[]) => void
  disabled: boolean
}

const inOrder = (days: readonly Day[]): Day[] => days.toSorted((a, b) => a.date.localeCompare(b.date))

export const SpecialDays = ({ days, onChange, disabled }: SpecialDaysProps) => {
  const say = useText(text)
  const [taking, setTaking] = useState(false)
  const addDay = (): void => onChange([...days, { date: new Date().toISOString().slice(0, 10), name: '', open: [] }])
  return (
    <Section
      title={say.days}
      description={say.daysHint}
      actions={
        !disabled && (
          <>
            <Button variant="default" onClick={() => setTaking(true)}>
              {say.holidays}
            </Button>
            <Button variant="default" onClick={addDay}>
              {say.addDay}
            </Button>
          </>
        )
      }
    >
      {days.length === 0 ? (
        <Text size="sm" c="dimmed">
          {say.noDays}
        </Text>
      ) : (
        <div>
          {days.map((day, place) => (
            <SpecialDay
              key={place}
              day={day}
              disabled={disabled}
              onChange={(changed) => onChange(days.with(place, changed))}
              onRemove={() => onChange(days.toSpliced(place, 1))}
            />
          ))}
        </div>
      )}
      {taking && <HolidayModal days={days} onClose={() => setTaking(false)} onTake={(more) => onChange(inOrder([...days, ...more]))} />}
    </Section>
  )
}

interface SpecialDayProps {
  day: Day
  disabled: boolean
  onChange: (day: Day) => void
  onRemove: () => void
}

/** A leap year, which has every day: shown for yearly days. */
const leapYear = 2028

/** A date with its year, or --12-24 for every year. */
const SpecialDay = ({ day, disabled, onChange, onRemove }: SpecialDayProps) => {
  const say = useText(text)
  const yearly = day.date.startsWith('--')
  const shown = yearly ? `${leapYear}${day.date.slice(1)}` : day.date
  const name = day.name || say.unnamed
  const setDate = (date: string, everyYear: boolean): void => onChange({ ...day, date: everyYear ? `-${date.slice(4)}` : date })
  return (
    <Group className={classes.day} align="flex-end" gap="sm">
      <TextInput
        type="date"
        label={say.date}
        value={shown}
        required
        disabled={disabled}
        onChange={(event) => setDate(event.currentTarget.value || shown, yearly)}
      />
      <TextInput
        label={say.dayName}
        value={day.name}
        required
        maxLength={100}
        disabled={disabled}
        onChange={(event) => onChange({ ...day, name: event.currentTarget.value })}
      />
      <Checkbox
        label={say.everyYear}
        checked={yearly}
        disabled={disabled}
        mb={9}
        onChange={(event) => setDate(shown, event.currentTarget.checked)}
      />
      <Stack gap={0}>
        <SpanFields day={name} spans={day.open} disabled={disabled} onChange={(open) => onChange({ ...day, open })} />
      </Stack>
      {!disabled && (
        <ActionIcon variant="subtle" color="gray" mb={4} aria-label={say.removeDay(name)} onClick={onRemove}>
          <Icon name="trash" size={16} />
        </ActionIcon>
      )}
    </Group>
  )
}

const countries = ['DE', 'AT', 'CH'] as const

interface HolidayModalProps {
  days: readonly Day[]
  onTake: (days: Day[]) => void
  onClose: () => void
}

/** Proposed holidays of a country or region. Local ones are not preselected. */
export const HolidayModal = ({ days, onTake, onClose }: HolidayModalProps) => {
  const say = useText(text)
  const { date: written } = useFormat()
  const [country, setCountry] = useState<(typeof countries)[number]>('DE')
  const [region, setRegion] = useState('')
  const [year, setYear] = useState(() => new Date().getFullYear())
  /** Choices that differ from the proposal. */
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set())
  const found = useRead('listHolidays', { country, year, ...(region !== '' && { region }) })
  const known = new Set(days.map(({ date }) => date))
  const proposed = (found.data?.items ?? []).filter(({ date }) => !known.has(date))
  const isTicked = ({ date, partly }: { date: string; partly?: true }): boolean => (partly === undefined) !== turned.has(date)
  const turn = (date: string): void =>
    setTurned((before) => new Set(before.has(date) ? [...before].filter((one) => one !== date) : [...before, date]))
  const take = (): void => {
    onTake(proposed.filter(isTicked).map(({ date, name }) => ({ date, name, open: [] })))
    onClose()
  }
  const regions = found.data?.regions ?? []
  return (
    <FormModal opened title={say.holidays} submit={say.take} onClose={onClose} onSubmit={take} error={found.error}>
      <Group grow align="flex-end">
        <Select
          label={say.country}
          data={countries.map((code) => ({ value: code, label: say.countries[code] }))}
          value={country}
          allowDeselect={false}
          onChange={(chosen) => {
            setCountry(countries.find((code) => code === chosen) ?? 'DE')
            setRegion('')
          }}
        />
        <NumberInput label={say.year} min={1990} max={2199} value={year} onChange={(value) => setYear(Number(value) || year)} />
      </Group>
      {regions.length > 0 && (
        <Select
          label={say.region}
          data={[{ value: '', label: say.wholeCountry }, ...regions.map(({ code, name }) => ({ value: code, label: name }))]}
          value={region}
          allowDeselect={false}
          searchable
          onChange={(chosen) => setRegion(chosen ?? '')}
        />
      )}
      <Text size="sm" c="dimmed">
        {found.data && proposed.length === 0 ? say.nothingNew : say.holidaysHint}
      </Text>
      <Stack gap="xs">
        {proposed.map((holiday) => (
          <Checkbox
            key={holiday.date}
            label={[written(holiday.date), holiday.name, holiday.partly && say.partly].filter(Boolean).join(' · ')}
            checked={isTicked(holiday)}
            onChange={() => turn(holiday.date)}
          />
        ))}
      </Stack>
    </FormModal>
  )
}
