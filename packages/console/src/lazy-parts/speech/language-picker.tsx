import { MultiSelect, Select, Text, type ComboboxLikeRenderOptionInput, type SelectProps } from '@mantine/core'
import { useMemo, useState, type ReactNode } from 'react'
import { useLanguage, useText } from '#words/use-text.tsx'
import { languageChoices, tagOf, type LanguageChoice } from './language-names.ts'
import { text } from './text.ts'

interface FieldProps extends Pick<SelectProps, 'label' | 'description' | 'placeholder'> {
  error?: ReactNode
}

/** What can be chosen, with what was chosen before and what is being typed. */
const useChoices = (chosen: readonly string[]) => {
  const { language } = useLanguage()
  const [typed, setTyped] = useState('')
  const key = chosen.join(' ')
  const data = useMemo(() => languageChoices(language, [...key.split(' '), tagOf(typed) ?? '']), [language, key, typed])
  return { data, searchable: true, onSearchChange: setTyped, renderOption: LanguageOption, filter: byNameOrTag }
}

/** The name is for people, the tag for those who know it. */
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

export interface LanguagesPickerProps extends FieldProps {
  value: string[]
  onChange: (tags: string[]) => void
  maxValues: number
}

/** Several, in the order in which they were chosen. */
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
