import { ActionIcon, Group, Stack, Text, TextInput } from '@mantine/core'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './hours.module.css'
import { text } from './text.ts'
import { nextSpan, type Span } from './week.ts'

const maxSpans = 4

interface SpanFieldsProps {
  /** As screen readers call it. */
  day: string
  spans: readonly Span[]
  onChange: (spans: Span[]) => void
  disabled: boolean
}

/** The hours of one day: as many pairs of times as it has, by the browser's own fields for times. */
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

/** Browsers do not know 24:00; 00:00 at the end of a span is the same. */
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
