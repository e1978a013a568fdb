import { ActionIcon, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { HolidayModal } from './holiday-modal.tsx'
import classes from './hours.module.css'
import { SpanFields } from './span-fields.tsx'
import { text } from './text.ts'
import type { Day } from './week.ts'

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

/** In which every day exists: shown for days that come every year. */
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
