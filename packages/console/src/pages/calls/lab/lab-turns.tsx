import { List, Text } from '@mantine/core'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import type { LabRow } from './lab-rows.ts'

/** One variant of the strip as text. */
export const LabTurns = ({ row: { name, turns, interruptions } }: { row: LabRow }) => {
  const say = useText(text)
  const { number } = useFormat()
  const at = (ms: number): string => number(ms / 1000, 1)
  return (
    <details>
      <summary>
        <Text span size="sm">
          {say.details(name)}
        </Text>
      </summary>
      <List size="sm" mt="xs" withPadding>
        {turns.map(({ startMs, endMs, decidedMs, outcome, text: words }) => (
          <List.Item key={startMs}>
            {say.turnLine(at(startMs), at(endMs), at(decidedMs))}: {words ?? say.outcomes[outcome]}
          </List.Item>
        ))}
        {interruptions.map(({ atMs, false: isFalse, text: words }) => (
          <List.Item key={`cut ${atMs}`}>{[say.cutAt(at(atMs)), words, isFalse && say.falseCut].filter(Boolean).join(' · ')}</List.Item>
        ))}
      </List>
    </details>
  )
}
