import { Button, Text } from '@mantine/core'
import { Fragment } from 'react'
import { useText } from '#words/use-text.tsx'
import classes from './hours.module.css'
import { SpanFields } from './span-fields.tsx'
import { text } from './text.ts'
import { asMonday, weekdays, type Week } from './week.ts'

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
