import { Select } from '@mantine/core'
import type { ReactNode } from 'react'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

interface TimeZoneFieldProps {
  value: string
  onChange: (zone: string) => void
  error?: ReactNode
}

export const TimeZoneField = ({ value, onChange, error }: TimeZoneFieldProps) => {
  const say = useText(text)
  const zones = [...new Set(['UTC', value, ...Intl.supportedValuesOf('timeZone')])].toSorted()
  return (
    <Select
      label={say.timeZone}
      data={zones}
      value={value}
      onChange={(zone) => zone !== null && onChange(zone)}
      searchable
      allowDeselect={false}
      limit={50}
      error={error}
    />
  )
}
