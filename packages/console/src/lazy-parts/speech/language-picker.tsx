import { MultiSelect, Select, Text, type ComboboxLikeRenderOptionInput, type SelectProps } from '@mantine/core'
import { useMemo, useState, type ReactNode } from 'react'
import { useLanguage, useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { type LanguageChoice, tagOf, languageChoices } from './language-names.ts'

interface FieldProps extends Pick<SelectProps, 'label' | 'description' | 'placeholder'> {
  error?: ReactNode
}

/** Choices, including the current value and the typed text. */
const useChoices = (chosen: readonly string[]) => {
  const { language } = useLanguage()
  const [typed, setTyped] = useState('')
  const key = chosen.join(' ')
  const data = useMemo(() => languageChoices(language, [...key.split(' '), tagOf(typed) ?? '']), [language, key, typed])
  return { data, searchable: true, onSearchChange: setTyped, renderOption: LanguageOption, filter: byNameOrTag }
}

/** The name for everyone, the tag for experts. */
const LanguageOption = ({ option }: ComboboxLikeRenderOptionInput<{ value: string; label: string }>) => (
  <div>
    <Text size="sm">{option.label}</Text>
    <Text size="xs" c="dimmed">
      {option.value}
    </Text>
  </div>
)

const byNameOrTag: NonNullable<SelectProps['filter']> = ({ options, search }) => {
  const wanted = search.trim().toLowerCase()
  return (options as LanguageChoice[]).filter(({ value, label }) => `${label} ${value}`.toLowerCase().includes(wanted))
}

/** One language; empty: that of the account. */
export const LanguagePicker = ({
  value,
  onChange,
  placeholder,
  ...field
}: FieldProps & { value: string; onChange: (tag: string) => void }) => {
  const say = useText(text)
  return (
    <Select
      {...field}
      {...useChoices([value])}
      placeholder={placeholder ?? say.accountLanguage}
      clearable
      nothingFoundMessage={say.noLanguage}
      value={value === '' ? null : value}
      onChange={(tag) => onChange(tag ?? '')}
    />
  )
}

interface LanguagesPickerProps extends FieldProps {
  value: string[]
  onChange: (tags: string[]) => void
  maxValues: number
}

/** Several, in order of choice. */
export const LanguagesPicker = ({ value, onChange, maxValues, ...field }: LanguagesPickerProps) => (
  <MultiSelect
    {...field}
    {...useChoices(value)}
    maxValues={maxValues}
    nothingFoundMessage={useText(text).noLanguage}
    value={value}
    onChange={onChange}
  />
)
