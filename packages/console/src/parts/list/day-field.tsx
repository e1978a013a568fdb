import { ActionIcon, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { useLanguage, useText } from '#words/use-text.tsx'
import { Icon } from '../icon/icon.tsx'
import { readDay, writeDay } from './days.ts'
import classes from './list.module.css'
import { text } from './text.ts'

/**
 * A day of the calendar such as 2026-12-01, written as people write it in the language of the page: the browser's own field follows the
 * language of the browser. Its calendar is behind the button.
 */
export const DayField = ({ label, value, onChange }: { label: string; value: string; onChange: (day: string) => void }) => {
  const say = useText(text)
  const { language } = useLanguage()
  /** What is being typed, until it is taken. */
  const [draft, setDraft] = useState<string>()
  const picker = useRef<HTMLInputElement>(null)
  const typed = draft ?? writeDay(value, language)
  const day = readDay(typed, language)
  const take = (): void => {
    if (draft === undefined || day === undefined) return
    setDraft(undefined)
    if (day !== value) onChange(day)
  }
  return (
    <div className={classes.day}>
      <TextInput
        size="xs"
        label={label}
        placeholder={say.dayForm}
        inputMode="numeric"
        maxLength={10}
        value={typed}
        error={day === undefined && typed.length >= 8 ? say.dayWrong : undefined}
        onChange={({ currentTarget }) => setDraft(currentTarget.value)}
        onBlur={take}
        onKeyDown={({ key }) => key === 'Enter' && take()}
        rightSection={
          <ActionIcon variant="subtle" color="gray" size="sm" aria-label={say.calendar(label)} onClick={() => picker.current?.showPicker()}>
            <Icon name="calendar" size={14} />
          </ActionIcon>
        }
      />
      <input
        ref={picker}
        type="date"
        className={classes.picker}
        tabIndex={-1}
        aria-hidden
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  )
}
