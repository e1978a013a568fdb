import { Button, Group, Stack, Text } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useNow } from '#lazy-parts/use-now.ts'
import { useLanguage, useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export type Schedule = OutputOf<'getSchedule'>

/** Open or closed, and until when, in the schedule's time zone. */
export const ScheduleState = ({ schedule: { state, timeZone } }: { schedule: Schedule }) => {
  const say = useText(text)
  const until = useTimeIn(timeZone)
  const { open, changesAt } = state
  if (changesAt === undefined) return <StatusBadge tone={open ? 'good' : 'quiet'}>{open ? say.open : say.closed}</StatusBadge>
  return (
    <StatusBadge tone={open ? 'good' : 'quiet'}>{open ? say.openUntil(until(changesAt)) : say.closedUntil(until(changesAt))}</StatusBadge>
  )
}

const dayMs = 86_400_000

/** Today only the time, then with its weekday, later with its date. */
const useTimeIn = (timeZone: string): ((at: string) => string) => {
  const locale = useLanguage().language === 'de' ? 'de-DE' : 'en-GB'
  const now = useNow(false)
  const time = { hour: '2-digit', minute: '2-digit', timeZone } as const
  return (at) => {
    const moment = new Date(at)
    const away = moment.getTime() - now
    const day = new Intl.DateTimeFormat('en-CA', { timeZone })
    const today = day.format(moment) === day.format(now)
    const far = away > 6 * dayMs ? ({ day: 'numeric', month: 'short' } as const) : ({ weekday: 'short' } as const)
    return new Intl.DateTimeFormat(locale, { ...time, ...(!today && far) }).format(moment)
  }
}

/** The current state, and the switch for the day. */
export const DaySwitch = ({ schedule }: { schedule: Schedule }) => {
  const say = useText(text)
  const mayChange = useMay()('CAN_OVERRIDE_SCHEDULE')
  const { state, override } = schedule
  const because = state.because === 'DAY' ? state.name : say.because[state.because]
  const change = useSwitch(schedule)
  return (
    <Section title={say.today} description={say.todayHint}>
      <Group justify="space-between">
        <Stack gap={4} aria-live="polite">
          <ScheduleState schedule={schedule} />
          <Text size="sm" c="dimmed">
            {because}
          </Text>
        </Stack>
        {mayChange && (
          <Group gap="xs">
            {state.open ? (
              <Button variant="default" loading={change.pending} onClick={() => change.to('CLOSED')}>
                {say.closeToday}
              </Button>
            ) : (
              <Button variant="default" loading={change.pending} onClick={() => change.to('OPEN')}>
                {say.openToday}
              </Button>
            )}
            {override && (
              <Button loading={change.pending} onClick={() => change.to(null)}>
                {say.asScheduled}
              </Button>
            )}
          </Group>
        )}
      </Group>
    </Section>
  )
}

/** Until midnight in the schedule's time zone. */
export const useSwitch = ({ id: scheduleId, state: { dayEndsAt } }: Pick<Schedule, 'id' | 'state'>) => {
  const say = useText(text)
  const toast = useToast()
  const write = useWrite('overrideSchedule', { refreshes: ['listSchedules', 'getSchedule'], onDone: () => toast.done(say.switched) })
  return {
    pending: write.isPending,
    to: (state: 'OPEN' | 'CLOSED' | null): void =>
      write.mutate([{ scheduleId }, { state, ...(state !== null && { until: dayEndsAt }) }], { onError: (error) => toast.failed(error) }),
  }
}
