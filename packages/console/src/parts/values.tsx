import { Text } from '@mantine/core'
import { useFormat } from './use-format.ts'

/** An amount in ten-thousandths. Losses are not red: most entries of a ledger are. */
export const Money = ({ amount, currency }: { amount: number; currency: string }) => (
  <Text span inherit style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>
    {useFormat().money(amount, currency)}
  </Text>
)

/** A moment; how long ago on hover, or the other way round. */
export const Time = ({ at, relative = false }: { at: number | string; relative?: boolean }) => {
  const format = useFormat()
  return (
    <time dateTime={new Date(at).toISOString()} title={relative ? format.moment(at) : format.ago(at)} style={{ whiteSpace: 'nowrap' }}>
      {relative ? format.ago(at) : format.moment(at)}
    </time>
  )
}

export const PhoneNumber = ({ number }: { number: string }) => (
  <Text span inherit style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>
    {useFormat().phone(number)}
  </Text>
)
