import { TextInput } from '@mantine/core'
import { Icon } from '../icon/icon.tsx'

interface SearchFieldProps {
  /** Subject of the search; also the placeholder. */
  label: string
  value: string
  onChange: (typed: string) => void
  /** For digits: phones show a numeric keyboard. */
  numeric?: boolean
}

/** Filters the list below it. */
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
