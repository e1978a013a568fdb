import { Text } from '@mantine/core'
import { Fragment } from 'react'
import { useFormat } from './use-format.ts'
import classes from './values.module.css'

/** An amount in ten-thousandths. Losses are not red: most entries of a ledger are. */
export const Money = ({ amount, currency }: { amount: number; currency: string }) => (
  <Text span inherit className={classes.number}>
    {useFormat().money(amount, currency)}
  </Text>
)

/** One of many amounts below each other: with its sign, and where some have fractions of a cent as wide behind the point as those. */
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

/** Whether one of them has fractions of a cent. */
export const haveFractions = (entries: readonly { amount: number }[] = []): boolean => entries.some(({ amount }) => amount % 100 !== 0)

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
  <Text span inherit className={classes.number}>
    {useFormat().phone(number)}
  </Text>
)

/** Several numbers, none of which is broken at the end of a line; `none` in quiet words when there are none. */
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
