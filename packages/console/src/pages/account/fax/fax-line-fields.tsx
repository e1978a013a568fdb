import { Anchor, Select, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from 'wouter'
import { useRead, type OutputOf } from '#api/use-service.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { PhoneNumbers } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { useProblem } from '../parts/use-problem.ts'
import { text } from './text.ts'

interface CallerChoiceProps {
  /** Undefined until it is known; empty: none. */
  value: string | undefined
  onChoose: (value: string) => void
  pending: boolean
  problem: unknown
}

const none = 'none'

export const CallerChoice = ({ value, onChoose, pending, problem }: CallerChoiceProps) => {
  const say = useText(text)
  const { phone } = useFormat()
  const numbers = useRead('listNumbers').data?.items ?? []
  const own = numbers.filter(({ type, state }) => type !== 'QUICKDIAL' && state === 'ACTIVE').map(({ number }) => number)
  // Another number may have been chosen by a user who sees more numbers.
  const known = value === undefined || value === '' || own.includes(value) ? own : [value, ...own]
  return (
    <Select
      label={say.callerId}
      description={say.callerIdHint}
      data={[...known.map((number) => ({ value: number, label: phone(number) })), { value: none, label: say.noCallerId }]}
      value={value === undefined ? null : value === '' ? none : value}
      onChange={(chosen) => chosen !== null && onChoose(chosen === none ? '' : chosen)}
      allowDeselect={false}
      disabled={value === undefined || pending}
      error={useProblem(problem)}
    />
  )
}

export const LeadingNumbers = ({ numbers }: { numbers: UseQueryResult<OutputOf<'listFaxlineNumbers'>> }) => {
  const say = useText(text)
  const items = numbers.data?.items ?? []
  return (
    <div>
      <Text size="sm" fw={550}>
        {say.numbers}
      </Text>
      <Text size="sm">
        <PhoneNumbers numbers={items.map(({ number }) => number)} none={say.noNumbers} />
      </Text>
      <Anchor component={Link} href="/numbers" size="sm">
        {say.toNumbers}
      </Anchor>
    </div>
  )
}
