import { Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useRead, type OutputOf } from '../api/use-service.ts'
import { useFormat } from '../parts/value/use-format.ts'
import { useText } from '../words/use-text.tsx'

import { text } from './price-text.ts'

type Price = OutputOf<'readPrice'>

/** Milliseconds of debounce: half a number needs no price. */
const typingMs = 400
const shortest = 3

interface CallPriceProps {
  /** The dialled number. */
  to: string
  service?: 'CALL' | 'SMS' | 'FAX'
}

/** Price of a call, message or fax while its number is typed; empty while unknown. */
export const CallPrice = ({ to, service = 'CALL' }: CallPriceProps) => {
  const [typed] = useDebouncedValue(to.trim(), typingMs)
  const words = usePriceWords(service)
  const price = useRead('readPrice', { to: typed, service }, { when: typed.length >= shortest && typed === to.trim() })
  return (
    <Text size="sm" c="dimmed" role="status" mih="1.4em">
      {price.data && typed === to.trim() ? words(price.data) : ''}
    </Text>
  )
}

const usePriceWords = (service: 'CALL' | 'SMS' | 'FAX'): ((price: Price) => string) => {
  const say = useText(text)
  const format = useFormat()
  return ({ kind, currency, perMinute, perUnit, connectFee, firstSeconds, incrementSeconds }) => {
    if (kind !== 'PAID') return say.kinds[kind]
    const money = (amount: number): string => format.money(amount, currency)
    const parts = [
      perMinute > 0 && say.perMinute(money(perMinute)),
      connectFee > 0 && say.connectFee(money(connectFee)),
      perUnit > 0 && (service === 'SMS' ? say.perMessage(money(perUnit)) : say.perPage(money(perUnit))),
      perMinute > 0 && say.interval(firstSeconds, incrementSeconds),
    ]
    return parts.filter((part) => part !== false).join(', ')
  }
}
