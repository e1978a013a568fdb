import { Text } from '@mantine/core'
import { Fragment } from 'react'
import { useFormat } from './use-format.ts'
import classes from './values.module.css'

/** An amount in ten-thousandths. Negative amounts are not red: most ledger entries are. */
export const Money = ({ amount, currency }: { amount: number; currency: string }) => (
  <Text span inherit className={classes.number}>
    {useFormat().money(amount, currency)}
  </Text>
)

/** An amount in a column: signed, and padded to the same width after the point if some have fractions of a cent. */
export const Booking = ({ amount, currency, wide = true }: { amount: number; currency: string; wide?: boolean }) => (
  <span className={classes.number}>
    {useFormat()
      .booking(amount, currency)
      .map(({ type, value }) => (
        <Fragment key={type}>
          {value}
          {wide && type === 'fraction' && value.length < 4 && (
            <span className={classes.rest} aria-hidden>
              {'0'.repeat(4 - value.length)}
            </span>
          )}
        </Fragment>
      ))}
  </span>
)

/** Whether any has fractions of a cent. */
export const haveFractions = (entries: readonly { amount: number }[] = []): boolean => entries.some(({ amount }) => amount % 100 !== 0)

/** A moment; relative time on hover, or vice versa. */
export const Time = ({ at, relative = false }: { at: number | string; relative?: boolean }) => {
  const format = useFormat()
  return (
    <time dateTime={new Date(at).toISOString()} title={relative ? format.moment(at) : format.ago(at)} style={{ whiteSpace: 'nowrap' }}>
      {relative ? format.ago(at) : format.moment(at)}
    </time>
  )
}

export const PhoneNumber = ({ number }: { number: string }) => (
  <Text span inherit className={classes.number}>
    {useFormat().phone(number)}
  </Text>
)

/** Several numbers, none broken across lines; `none` in muted text if empty. */
export const PhoneNumbers = ({ numbers, none }: { numbers: readonly string[]; none: string }) =>
  numbers.length === 0 ? (
    <Text span inherit c="dimmed">
      {none}
    </Text>
  ) : (
    <span>
      {numbers.map((number, index) => (
        <Fragment key={number}>
          {index > 0 && ', '}
          <PhoneNumber number={number} />
        </Fragment>
      ))}
    </span>
  )
