import { TextInput } from '@mantine/core'
import { Icon } from '../icon/icon.tsx'

export interface SearchFieldProps {
  /** What is looked for; also what stands in the empty field. */
  label: string
  value: string
  onChange: (typed: string) => void
  /** For what consists of digits: a phone shows only those. */
  numeric?: boolean
}

/** Finds some of what is listed below it. */
export const SearchField = ({ label, value, onChange, numeric = false }: SearchFieldProps) => (
  <TextInput
    aria-label={label}
    placeholder={label}
    leftSection={<Icon name="search" size={16} />}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    maw="26rem"
    {...(numeric && { inputMode: 'numeric' as const })}
  />
)
