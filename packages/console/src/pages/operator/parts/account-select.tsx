import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState, type ReactNode } from 'react'
import { useText } from '#words/use-text.tsx'
import { useAccountSearch, useCompany } from './account-link.tsx'
import { text } from './text.ts'

interface AccountSelectProps {
  value: string
  onChange: (accountId: string) => void
  error?: ReactNode
  label?: string
  /** No choice means all. */
  optional?: boolean
  /** An additional choice besides accounts. */
  besides?: { value: string; label: string }
}

const shown = 30

/** Finds an account by part of its name or start of its number. Queries the service while typing. */
export const AccountSelect = ({ value, onChange, error, label, optional = false, besides }: AccountSelectProps) => {
  const say = useText(text)
  const chosen = useChosen(value, besides)
  const [typed, setTyped] = useState('')
  const [sought] = useDebouncedValue(typed === chosen?.label ? '' : typed.trim(), 250)
  const found = useAccountSearch(sought, shown)
  const choices = [
    ...(besides ? [besides] : []),
    ...(found.data ?? []).map(({ id, company }) => ({ value: id, label: nameOf(id, company) })),
  ]
  return (
    <Select
      label={label ?? say.account}
      placeholder={optional ? say.everyAccount : say.chooseAccount}
      searchable
      clearable={optional}
      allowDeselect={optional}
      required={!optional && !besides}
      data={!chosen || choices.some((choice) => choice.value === value) ? choices : [chosen, ...choices]}
      filter={({ options }) => options}
      value={value === '' ? null : value}
      onChange={(picked) => onChange(picked ?? '')}
      searchValue={typed}
      onSearchChange={setTyped}
      nothingFoundMessage={found.isFetching ? say.looking : say.noAccount}
      error={error}
    />
  )
}

const nameOf = (id: string, company: string): string => `${company} (${id})`

/** Names the chosen account even if the search did not find it. */
const useChosen = (value: string, besides: AccountSelectProps['besides']): AccountSelectProps['besides'] => {
  const company = useCompany(value === besides?.value ? '' : value)
  if (value === '') return undefined
  if (value === besides?.value) return besides
  return { value, label: company === undefined ? value : nameOf(value, company) }
}
