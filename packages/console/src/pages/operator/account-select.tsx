import { Select } from '@mantine/core'
import { useText } from '../../words/use-text.tsx'
import { text } from './text.ts'
import { useAccounts } from './use-accounts.ts'

export interface AccountSelectProps {
  value: string
  onChange: (accountId: string) => void
  error?: string | undefined
  label?: string
  /** Nobody chosen means all. */
  optional?: boolean
}

/** Finds an account by its name or number. */
export const AccountSelect = ({ value, onChange, error, label, optional = false }: AccountSelectProps) => {
  const say = useText(text)
  const accounts = useAccounts()
  const data = (accounts.data ?? []).map(({ id, company }) => ({ value: id, label: `${company} (${id})` }))
  return (
    <Select
      label={label ?? say.account}
      placeholder={optional ? say.everyAccount : say.chooseAccount}
      searchable
      clearable={optional}
      required={!optional}
      data={data}
      value={value === '' ? null : value}
      onChange={(chosen) => onChange(chosen ?? '')}
      nothingFoundMessage={say.noAccount}
      error={error}
      limit={50}
    />
  )
}
