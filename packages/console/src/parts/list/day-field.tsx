import { ActionIcon, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { useLanguage, useText } from '#words/use-text.tsx'
import { Icon } from '../icon/icon.tsx'
import classes from './list.module.css'
import { text } from './text.ts'
import { writeDay, readDay } from './days.ts'

/**
 * A calendar day such as 2026-12-01 in the format of the page's language: the native field uses the browser's language. Its calendar is
 * behind the button.
 */
export const DayField = ({ label, value, onChange }: { label: string; value: string; onChange: (day: string) => void }) => {
  const say = useText(text)
  const { language } = useLanguage()
  /** Text being typed, until accepted. */
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
