import { Text, TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { useLanguage, useText } from '../words/use-text.tsx'
import { text } from './text.ts'
import { readMoney, writeMoney } from './money-text.ts'

interface MoneyInputProps {
  label: string
  description?: string
  currency: string
  /** Ten-thousandths of the currency unit; undefined while the text is not an amount. */
  value: number | undefined
  onChange: (value: number | undefined) => void
  error?: ReactNode
  negative?: boolean
  required?: boolean
}

/** An amount as people write it. Shows the parsed amount on blur. */
export const MoneyInput = ({ currency, value, onChange, error, negative = false, ...shown }: MoneyInputProps) => {
  const say = useText(text)
  const { language } = useLanguage()
  const [written, setWritten] = useState(value === undefined ? '' : writeMoney(value, language))
  const write = (typed: string): void => {
    const amount = readMoney(typed, language)
    setWritten(typed)
    onChange(amount !== undefined && amount < 0 && !negative ? undefined : amount)
  }
  const unread = written.trim() !== '' && value === undefined
  return (
    <TextInput
      {...shown}
      inputMode={negative ? 'text' : 'decimal'}
      autoComplete="off"
      value={written}
      onChange={(event) => write(event.currentTarget.value)}
      onBlur={() => value !== undefined && setWritten(writeMoney(value, language))}
      rightSection={
        <Text size="sm" c="dimmed" pr="xs">
          {currency}
        </Text>
      }
      rightSectionWidth="3.5rem"
      error={unread ? say.noAmount(writeMoney(123_400, language)) : error}
    />
  )
}
