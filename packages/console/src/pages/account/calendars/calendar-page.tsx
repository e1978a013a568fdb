import { ActionIcon, Button, Group, NativeSelect, Stack, Text, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { AddButton } from '#parts/page/add-button.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { useLanguage, useText } from '#words/use-text.tsx'
import { BookingDialog, NewBooking } from './booking-dialogs.tsx'
import classes from './calendars.module.css'
import { text } from './text.ts'
import { addDays, around, dayIn, daysFrom, mondayOf, type Booking, type Calendar } from './week.ts'

/** Milliseconds; assistants book meanwhile. */
const intervalMs = 15_000

export const CalendarPage = () => {
  const say = useText(text)
  const { calendarId } = useParams<{ calendarId: string }>()
  const may = useMay()
  const calendar = useRead('getCalendar', { calendarId })
  const [adding, setAdding] = useState(false)
  return (
    <Page
      title={calendar.data?.name ?? say.title}
      back={{ to: '/calendars', label: say.back }}
      actions={
        calendar.data && (
          <>
            {may('CAN_CHANGE_CALENDARS') && (
              <Button variant="default" component={Link} href={`/calendars/${calendarId}/settings`}>
                {say.settings}
              </Button>
            )}
            {may('CAN_BOOK') && <AddButton onClick={() => setAdding(true)}>{say.book}</AddButton>}
          </>
        )
      }
    >
      {calendar.isError && <ErrorNotice error={calendar.error} />}
      {calendar.isPending && <WaitingRows />}
      {calendar.data && <Week calendar={calendar.data} />}
      {calendar.data && adding && <NewBooking calendar={calendar.data} onClose={() => setAdding(false)} />}
    </Page>
  )
}

const Week = ({ calendar }: { calendar: Calendar }) => {
  const say = useText(text)
  const locale = useLanguage().language === 'de' ? 'de-DE' : 'en-GB'
  const { id: calendarId, timeZone, people } = calendar
  const [monday, setMonday] = useState(() => mondayOf(dayIn(Date.now(), timeZone)))
  const [person, setPerson] = useState('')
  const [shown, setShown] = useState<Booking>()
  const bookings = useRead('listBookings', { calendarId, ...around(monday) }, { every: intervalMs })
  const wanted = (bookings.data?.items ?? []).filter((booking) => person === '' || booking.person === person)
  const dayName = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <Group gap="xs">
          <ActionIcon variant="default" size="lg" aria-label={say.previous} onClick={() => setMonday(addDays(monday, -7))}>
            <Icon name="chevronLeft" size={16} />
          </ActionIcon>
          <ActionIcon variant="default" size="lg" aria-label={say.next} onClick={() => setMonday(addDays(monday, 7))}>
            <Icon name="chevronRight" size={16} />
          </ActionIcon>
          <Button variant="subtle" onClick={() => setMonday(mondayOf(dayIn(Date.now(), timeZone)))}>
            {say.thisWeek}
          </Button>
        </Group>
        {people.length > 1 && (
          <NativeSelect
            label={say.person}
            value={person}
            onChange={(event) => setPerson(event.currentTarget.value)}
            data={[{ value: '', label: say.everybody }, ...people.map(({ id, name }) => ({ value: id, label: name }))]}
          />
        )}
      </Group>
      <ErrorNotice error={bookings.error} />
      <div className={classes.week} role="list" aria-label={say.week}>
        {daysFrom(monday).map((day) => (
          <Stack key={day} role="listitem" gap={6} className={classes.day}>
            <Text size="sm" fw={550}>
              {dayName.format(new Date(day))}
            </Text>
            <DayBookings
              calendar={calendar}
              locale={locale}
              bookings={wanted.filter(({ start }) => dayIn(start, timeZone) === day)}
              onShow={setShown}
            />
          </Stack>
        ))}
      </div>
      {shown && <BookingDialog key={shown.id} calendar={calendar} booking={shown} onClose={() => setShown(undefined)} />}
    </Stack>
  )
}

interface DayBookingsProps {
  calendar: Calendar
  locale: string
  bookings: readonly Booking[]
  onShow: (booking: Booking) => void
}

const DayBookings = ({ calendar: { timeZone, services, people }, locale, bookings, onShow }: DayBookingsProps) => {
  const say = useText(text)
  const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone })
  if (bookings.length === 0)
    return (
      <Text size="xs" c="dimmed">
        {say.nothing}
      </Text>
    )
  return bookings.map((booking) => {
    const { id, start, end, service, person, name, state } = booking
    const who = people.find((one) => one.id === person)?.name ?? person
    return (
      <UnstyledButton key={id} className={`${classes.booking} ${state === 'HELD' ? classes.held : ''}`} onClick={() => onShow(booking)}>
        <Text size="xs" fw={550}>
          {time.format(new Date(start))}–{time.format(new Date(end))}
        </Text>
        <Text size="xs">{name ?? (state === 'HELD' ? say.held : '')}</Text>
        <Text size="xs" c="dimmed">
          {[services.find((one) => one.id === service)?.name ?? service, people.length > 1 && who].filter(Boolean).join(' · ')}
        </Text>
      </UnstyledButton>
    )
  })
}
