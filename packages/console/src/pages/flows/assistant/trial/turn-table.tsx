import { Text } from '@mantine/core'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { useMemo } from 'react'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { usePrice } from '#lazy-parts/use-price.ts'
import { text } from './text.ts'
import { figuresOf, sumOf, type TurnFigures } from './turn-figures.ts'

/** How long the person waited for each answer, and what it cost. */
export const TurnTable = ({ entries }: { entries: readonly TimelineEntry[] }) => {
  const say = useText(text)
  const { number } = useFormat()
  const price = usePrice()
  const turns = useMemo(() => figuresOf(entries), [entries])
  const ms = (value: number | undefined): string => (value === undefined ? '–' : `${number(value)} ms`)
  const columns: Column<TurnFigures>[] = [
    { key: 'said', header: say.turn, cell: ({ said, turn }) => said || (turn === 0 ? say.greeting : '–'), breaks: true },
    { key: 'sound', header: say.heardAfter, cell: ({ firstSoundMs }) => ms(firstSoundMs), align: 'right' },
    { key: 'token', header: say.firstToken, cell: ({ firstTokenMs }) => ms(firstTokenMs), align: 'right' },
    { key: 'tokens', header: say.tokens, cell: ({ tokens }) => (tokens === 0 ? '–' : number(tokens)), align: 'right' },
    { key: 'cost', header: say.cost, cell: ({ cost }) => price(cost) ?? '–', align: 'right' },
  ]
  const tokens = turns.reduce((sum, turn) => sum + turn.tokens, 0)
  return (
    <>
      <List
        name="turns"
        label={say.answers}
        rows={turns}
        columns={columns}
        rowKey={({ turn }) => `${turn}`}
        empty={
          <Text size="sm" c="dimmed" p="md">
            {say.noAnswers}
          </Text>
        }
      />
      {tokens > 0 && (
        <Text size="sm" p="md" role="status">
          {say.total(number(tokens), price(sumOf(turns.map(({ cost }) => cost))))}
        </Text>
      )}
    </>
  )
}
