import { Autocomplete } from '@mantine/core'
import { useFormat } from '#parts/value/use-format.ts'
import { dialable } from '#api/phone/calls.ts'
import { useSuggestions } from './use-suggestions.ts'
import { isName } from './suggestions.ts'

interface PartyFieldProps {
  label: string
  description?: string
  value: string
  onChange: (value: string) => void
  autoFocus?: boolean
  size?: 'sm' | 'lg'
}

/** `Anna Roth <+49301234>` as a chosen suggestion appears in the field. */
const chosen = /^(?<name>.*\S)\s*<(?<number>[^<>]+)>$/

/** The party meant by the text: empty for an incomplete name. */
export const partyOf = (typed: string): { number: string; name?: string } => {
  const { name, number } = chosen.exec(typed.trim())?.groups ?? {}
  if (name !== undefined && number !== undefined) return { name, number: dialable(number) }
  return { number: isName(typed) && !/^tel:/i.test(typed) ? '' : dialable(typed) }
}

/** A typed number, or a found person. */
export const PartyField = ({ value, onChange, autoFocus = false, ...rest }: PartyFieldProps) => {
  const { phone } = useFormat()
  const found = useSuggestions(chosen.test(value) ? '' : value)
  const data = found.map(({ name, number }) => ({
    value: name === '' ? number : `${name} <${number}>`,
    label: name === '' ? phone(number) : `${name} · ${phone(number)}`,
  }))
  return (
    <Autocomplete
      {...rest}
      value={value}
      onChange={onChange}
      data={data}
      filter={({ options }) => options}
      autoComplete="off"
      autoFocus={autoFocus}
      comboboxProps={{ zIndex: 400 }}
    />
  )
}
