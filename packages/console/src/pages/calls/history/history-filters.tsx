import { Button, Checkbox, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState, type ChangeEvent } from 'react'
import { useText } from '#words/use-text.tsx'
import classes from './history-list.module.css'
import { text } from '../parts/text.ts'
import { directions, types, type FilterName, type useHistoryFilter } from './use-history-filter.ts'

type Filter = ReturnType<typeof useHistoryFilter>

const typedMs = 400

export const HistoryFilters = ({ filters, set, isSet }: Filter) => {
  const say = useText(text)
  const { all } = say.filters
  const field = (name: FilterName) => ({
    label: say.filters[name],
    size: 'xs' as const,
    value: filters[name],
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLSelectElement>) => set({ [name]: event.currentTarget.value }),
  })
  const tick = (name: 'starred' | 'archived') => ({
    label: say.filters[name],
    size: 'xs' as const,
    checked: filters[name] !== '',
    onChange: (event: ChangeEvent<HTMLInputElement>) => set({ [name]: event.currentTarget.checked ? 'yes' : '' }),
  })
  const [round, setRound] = useState(0)
  return (
    <div className={classes.filters}>
      <NumberFilter key={round} value={filters.number} onChange={(number) => set({ number })} />
      <NativeSelect {...field('type')} data={[{ value: '', label: all }, ...types.map((value) => ({ value, label: say.types[value] }))]} />
      <NativeSelect
        {...field('direction')}
        data={[{ value: '', label: all }, ...directions.map((value) => ({ value, label: say.directions[value] }))]}
      />
      <TextInput type="date" {...field('from')} />
      <TextInput type="date" {...field('to')} />
      <Group gap="md" className={classes.ticks}>
        <Checkbox {...tick('starred')} />
        <Checkbox {...tick('archived')} />
        {isSet && (
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => {
              setRound(round + 1)
              set({ type: '', direction: '', number: '', from: '', to: '', starred: '', archived: '' })
            }}
          >
            {say.filters.reset}
          </Button>
        )}
      </Group>
    </div>
  )
}

/** Searches when the user stops typing. */
const NumberFilter = ({ value, onChange }: { value: string; onChange: (number: string) => void }) => {
  const say = useText(text)
  const [typed, setTyped] = useState(value)
  const later = useDebouncedCallback(onChange, typedMs)
  return (
    <TextInput
      type="search"
      size="xs"
      label={say.filters.number}
      placeholder={say.filters.numberHint}
      maxLength={40}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        later(currentTarget.value)
      }}
    />
  )
}
