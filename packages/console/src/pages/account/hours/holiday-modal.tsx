import { Checkbox, Group, NumberInput, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useRead } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import type { Day } from './week.ts'

const countries = ['DE', 'AT', 'CH'] as const

interface HolidayModalProps {
  days: readonly Day[]
  onTake: (days: Day[]) => void
  onClose: () => void
}

/** Proposals of a country or region, to be ticked. What holds only in places of it is not ticked by itself. */
export const HolidayModal = ({ days, onTake, onClose }: HolidayModalProps) => {
  const say = useText(text)
  const { date: written } = useFormat()
  const [country, setCountry] = useState<(typeof countries)[number]>('DE')
  const [region, setRegion] = useState('')
  const [year, setYear] = useState(() => new Date().getFullYear())
  /** Against what is proposed. */
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set())
  const found = useRead('listHolidays', { country, year, ...(region !== '' && { region }) })
  const known = new Set(days.map(({ date }) => date))
  const proposed = (found.data?.items ?? []).filter(({ date }) => !known.has(date))
  const isTicked = ({ date, partly }: { date: string; partly?: true }): boolean => (partly === undefined) !== turned.has(date)
  const turn = (date: string): void =>
    setTurned((before) => new Set(before.has(date) ? [...before].filter((one) => one !== date) : [...before, date]))
  const take = (): void => {
    onTake(proposed.filter(isTicked).map(({ date, name }) => ({ date, name, open: [] })))
    onClose()
  }
  const regions = found.data?.regions ?? []
  return (
    <FormModal opened title={say.holidays} submit={say.take} onClose={onClose} onSubmit={take} error={found.error}>
      <Group grow align="flex-end">
        <Select
          label={say.country}
          data={countries.map((code) => ({ value: code, label: say.countries[code] }))}
          value={country}
          allowDeselect={false}
          onChange={(chosen) => {
            setCountry(countries.find((code) => code === chosen) ?? 'DE')
            setRegion('')
          }}
        />
        <NumberInput label={say.year} min={1990} max={2199} value={year} onChange={(value) => setYear(Number(value) || year)} />
      </Group>
      {regions.length > 0 && (
        <Select
          label={say.region}
          data={[{ value: '', label: say.wholeCountry }, ...regions.map(({ code, name }) => ({ value: code, label: name }))]}
          value={region}
          allowDeselect={false}
          searchable
          onChange={(chosen) => setRegion(chosen ?? '')}
        />
      )}
      <Text size="sm" c="dimmed">
        {found.data && proposed.length === 0 ? say.nothingNew : say.holidaysHint}
      </Text>
      <Stack gap="xs">
        {proposed.map((holiday) => (
          <Checkbox
            key={holiday.date}
            label={[written(holiday.date), holiday.name, holiday.partly && say.partly].filter(Boolean).join(' · ')}
            checked={isTicked(holiday)}
            onChange={() => turn(holiday.date)}
          />
        ))}
      </Stack>
    </FormModal>
  )
}
