import { ActionIcon, Group, Stack, Text, TextInput } from '@mantine/core'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './hours.module.css'
import { text } from './text.ts'
import type { Schedule } from './schedule-state.tsx'

const maxSpans = 4

interface SpanFieldsProps {
  /** Accessible name. */
  day: string
  spans: readonly Span[]
  onChange: (spans: Span[]) => void
  disabled: boolean
}

/** The hours of one day: pairs of native time fields. */
export const SpanFields = ({ day, spans, onChange, disabled }: SpanFieldsProps) => {
  const say = useText(text)
  const set = (place: number, change: Partial<Span>): void =>
    onChange(spans.map((span, at) => (at === place ? { ...span, ...change } : span)))
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Stack gap={6}>
        {spans.length === 0 && (
          <Text size="sm" c="dimmed" py={7}>
            {say.closed}
          </Text>
        )}
        {spans.map((span, place) => (
          <Group key={place} gap={6} wrap="nowrap">
            <Time label={say.from(day)} value={span.from} disabled={disabled} onChange={(from) => set(place, { from })} />
            <span aria-hidden>–</span>
            <Time label={say.to(day)} value={span.to} disabled={disabled} onChange={(to) => set(place, { to })} />
            {!disabled && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={say.removeSpan(day, span.from)}
                onClick={() => onChange(spans.toSpliced(place, 1))}
              >
                <Icon name="x" size={16} />
              </ActionIcon>
            )}
          </Group>
        ))}
      </Stack>
      {!disabled && spans.length < maxSpans && (
        <ActionIcon
          variant="subtle"
          color="gray"
          mt={4}
          aria-label={say.addSpan(day)}
          onClick={() => onChange([...spans, nextSpan(spans)])}
        >
          <Icon name="plus" size={16} />
        </ActionIcon>
      )}
    </Group>
  )
}

interface TimeProps {
  label: string
  value: string
  disabled: boolean
  onChange: (time: string) => void
}

/** Browsers do not support 24:00; 00:00 at the end of a span is equivalent. */
const Time = ({ label, value, disabled, onChange }: TimeProps) => (
  <TextInput
    type="time"
    className={classes.time}
    aria-label={label}
    value={value === '24:00' ? '00:00' : value}
    disabled={disabled}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
)

export type Week = Schedule['week']
export type Day = Schedule['days'][number]
type Span = Day['open'][number]

export const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const

const defaultSpan: Span = { from: '09:00', to: '17:00' }
const workdays = ['TU', 'WE', 'TH', 'FR'] as const

export const defaultWeek: Week = { MO: [defaultSpan], TU: [defaultSpan], WE: [defaultSpan], TH: [defaultSpan], FR: [defaultSpan] }

export const hereZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const asMonday = (week: Week): Week => ({ ...week, ...Object.fromEntries(workdays.map((day) => [day, week.MO ?? []])) })

/** After the last span, or the default. */
const nextSpan = (spans: readonly Span[]): Span => {
  const last = spans.at(-1)
  if (!last) return defaultSpan
  const hour = Math.min(Number(last.to.slice(0, 2)) + 1, 22)
  return { from: `${String(hour).padStart(2, '0')}:00`, to: `${String(hour + 1).padStart(2, '0')}:00` }
}
