import { Anchor, Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { Dialog } from '#parts/modal/dialog.tsx'
import { useLanguage, useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { dayIn, type Booking, type Calendar } from './week.ts'

const refreshes = ['listBookings', 'findFreeSlots', 'getBooking'] as const

interface SlotFieldsProps {
  calendar: Calendar
  service: string
  person: string
  start: string
  onChange: (start: string) => void
}

/** A first day, and the free times of the two weeks after it. */
const SlotFields = ({ calendar: { id: calendarId, timeZone }, service, person, start, onChange }: SlotFieldsProps) => {
  const say = useText(text)
  const locale = useLanguage().language === 'de' ? 'de-DE' : 'en-GB'
  const [day, setDay] = useState(() => dayIn(Date.now(), timeZone))
  const slots = useRead('findFreeSlots', {
    calendarId,
    service,
    ...(person !== '' && { person }),
    from: `${day}T00:00:00Z`,
    days: 14,
    max: 200,
  })
  const shown = new Intl.DateTimeFormat(locale, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  })
  const free = slots.data?.items ?? []
  return (
    <Group grow align="flex-start">
      <TextInput type="date" label={say.from} value={day} onChange={(event) => setDay(event.currentTarget.value || day)} />
      <NativeSelect
        label={say.time}
        required
        value={start}
        onChange={(event) => onChange(event.currentTarget.value)}
        data={[{ value: '', label: '' }, ...free.map((slot) => ({ value: slot.start, label: shown.format(new Date(slot.start)) }))]}
        error={slots.data && free.length === 0 ? say.noTime : undefined}
      />
    </Group>
  )
}

export const NewBooking = ({ calendar, onClose }: { calendar: Calendar; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const create = useWrite('createBooking', {
    refreshes,
    onDone: () => {
      toast.done(say.booked)
      onClose()
    },
  })
  const form = useForm(
    { service: calendar.services[0]?.id ?? '', person: '', start: '', name: '', phone: '', email: '', note: '' },
    create.error,
  )
  const { service, person, start, name, phone, email, note } = form.values
  const given = Object.fromEntries(Object.entries({ person, phone, email, note }).filter(([, value]) => value !== ''))
  const doers = calendar.services.find(({ id }) => id === service)?.people
  const people = calendar.people.filter(({ id }) => doers?.includes(id) ?? true)
  return (
    <FormModal
      opened
      title={say.bookTitle}
      submit={say.book}
      onClose={onClose}
      onSubmit={() => create.mutate([{ calendarId: calendar.id }, { service, start, name, ...given, confirm: true }])}
      disabled={start === '' || name.trim() === ''}
      pending={create.isPending}
      error={create.error}
    >
      <Group grow>
        <NativeSelect
          label={say.service}
          data={calendar.services.map((one) => ({ value: one.id, label: one.name }))}
          {...form.text('service')}
          onChange={(event) => form.reset({ ...form.values, service: event.currentTarget.value, person: '', start: '' })}
        />
        <NativeSelect
          label={say.person}
          data={[{ value: '', label: say.everybody }, ...people.map((one) => ({ value: one.id, label: one.name }))]}
          {...form.text('person')}
          onChange={(event) => form.reset({ ...form.values, person: event.currentTarget.value, start: '' })}
        />
      </Group>
      <SlotFields calendar={calendar} service={service} person={person} start={start} onChange={(value) => form.set('start', value)} />
      <TextInput label={say.visitor} required maxLength={200} {...form.text('name')} />
      <Group grow align="flex-start">
        <TextInput label={say.phone} maxLength={40} {...form.text('phone')} />
        <TextInput label={say.email} maxLength={254} {...form.text('email')} />
      </Group>
      <Textarea label={say.note} maxLength={1000} autosize minRows={2} {...form.text('note')} />
    </FormModal>
  )
}

interface BookingDialogProps {
  calendar: Calendar
  booking: Booking
  onClose: () => void
}

export const BookingDialog = ({ calendar, booking, onClose }: BookingDialogProps) => {
  const say = useText(text)
  const toast = useToast()
  const confirm = useConfirm()
  const mayBook = useMay()('CAN_BOOK')
  const [start, setStart] = useState('')
  const done = (message: string) => () => {
    toast.done(message)
    onClose()
  }
  const move = useWrite('moveBooking', { refreshes, onDone: done(say.moved) })
  const cancel = useWrite('cancelBooking', { refreshes, onDone: done(say.cancelled) })
  const target = { calendarId: calendar.id, bookingId: booking.id }
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.cancelTitle, body: say.cancelBody, confirm: say.cancelBooking })) cancel.mutate([target])
  }
  const service = calendar.services.find(({ id }) => id === booking.service)
  return (
    <Dialog onClose={onClose} title={booking.name ?? service?.name ?? booking.service}>
      <Stack>
        <Details calendar={calendar} booking={booking} />
        {mayBook && service && (
          <SlotFields calendar={calendar} service={booking.service} person={booking.person} start={start} onChange={setStart} />
        )}
        <ErrorNotice error={move.error ?? cancel.error} />
        {mayBook && (
          <Group justify="flex-end" gap="xs">
            <Button variant="default" loading={cancel.isPending} onClick={() => void ask()}>
              {say.cancelBooking}
            </Button>
            {service && (
              <Button disabled={start === ''} loading={move.isPending} onClick={() => move.mutate([target, { start }])}>
                {say.move}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Dialog>
  )
}

const Details = ({ calendar, booking }: { calendar: Calendar; booking: Booking }) => {
  const say = useText(text)
  const { service, person, phone, email, note, callId, state, spoken } = booking
  const what = [
    calendar.services.find(({ id }) => id === service)?.name ?? service,
    calendar.people.find(({ id }) => id === person)?.name ?? person,
  ]
  return (
    <Stack gap={4}>
      <Text>{spoken}</Text>
      <Text size="sm">{what.join(' · ')}</Text>
      {state === 'HELD' && <Text size="sm">{say.held}</Text>}
      {[phone, email, note].map(
        (value) =>
          value !== undefined && (
            <Text key={value} size="sm">
              {value}
            </Text>
          ),
      )}
      {callId !== undefined && (
        <Anchor component={Link} href={`/calls/${callId}`} size="sm">
          {say.openCall}
        </Anchor>
      )}
    </Stack>
  )
}
