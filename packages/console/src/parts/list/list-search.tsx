import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { useText } from '#words/use-text.tsx'
import { Icon } from '../icon/icon.tsx'
import classes from './list.module.css'
import { text } from './text.ts'

const pauseMs = 200

/** Searches when the user pauses. */
export const ListSearch = ({ label, value, onChange }: { label: string; value: string; onChange: (search: string) => void }) => {
  const { reset } = useText(text)
  const [typed, setTyped] = useState(value)
  const notified = useRef(value)
  const notify = (search: string): void => {
    notified.current = search
    onChange(search)
  }
  const tellLater = useDebouncedCallback(notify, pauseMs)
  // The search was changed elsewhere: reset, or by going back.
  useEffect(() => {
    if (value !== notified.current) setTyped(value)
    notified.current = value
  }, [value])
  return (
    <TextInput
      type="search"
      className={classes.search}
      aria-label={label}
      placeholder={label}
      maxLength={100}
      leftSection={<Icon name="search" size={16} />}
      rightSection={typed !== '' && <CloseButton size="sm" aria-label={reset} onClick={() => (setTyped(''), notify(''))} />}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        tellLater(currentTarget.value)
      }}
    />
  )
}
