import { NumberInput } from '@mantine/core'
import { useLanguage } from '../../words/use-text.tsx'

/** The service counts ten-thousandths. */
const unit = 10_000

export interface MoneyInputProps {
  label: string
  description?: string
  currency: string
  /** Ten-thousandths of the currency unit. */
  value: number
  onChange: (value: number) => void
  error?: string | undefined
  negative?: boolean
}

/** An amount as people write it. */
export const MoneyInput = ({ label, description, currency, value, onChange, error, negative = false }: MoneyInputProps) => {
  const { language } = useLanguage()
  return (
    <NumberInput
      label={label}
      description={description}
      value={value / unit}
      onChange={(written) => onChange(Math.round(Number(written) * unit))}
      decimalScale={4}
      decimalSeparator={language === 'de' ? ',' : '.'}
      thousandSeparator={language === 'de' ? '.' : ','}
      allowNegative={negative}
      suffix={` ${currency}`}
      error={error}
      hideControls
    />
  )
}
