import { Box, Group, Text } from '@mantine/core'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import type { TurnTimes } from './timeline-book.ts'
import { Swatch, TurnBar } from './turn-bar.tsx'
import { endOf, median, steps, stepsOf, type StepTime } from './turn-steps.ts'
import classes from './waterfall.module.css'

/** Time between the end of the caller's words and the start of the answer, turn by turn. */
export const Waterfall = ({ turns }: { turns: readonly TurnTimes[] }) => {
  const say = useText(text)
  if (turns.length === 0)
    return (
      <EmptyState icon="speed" title={say.noTurns}>
        {say.noTurnsBody}
      </EmptyState>
    )
  const rows = turns.map((turn) => ({ ...turn, times: stepsOf(turn.times) }))
  const maxLength = Math.max(1, ...rows.map(({ times }) => endOf(times)))
  return (
    <Box className={classes.box} tabIndex={0} role="region" aria-label={say.latency}>
      <Legend totals={rows.map(({ times }) => endOf(times))} />
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{say.turn}</th>
            <th scope="col" aria-hidden="true" />
            {steps.map((step) => (
              <th key={step} scope="col" className={classes.figure}>
                {say.steps[step]}
              </th>
            ))}
            <th scope="col" className={classes.figure}>
              {say.total}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map(({ turn, text: said, times }) => (
            <TurnRow key={turn} turn={turn} said={said} times={times} maxLength={maxLength} />
          ))}
        </tbody>
      </table>
    </Box>
  )
}

const Legend = ({ totals }: { totals: readonly number[] }) => {
  const say = useText(text)
  const { number } = useFormat()
  return (
    <Box mb="sm">
      <Group gap="xs" mb={4}>
        <Text size="sm">
          {say.median} <strong>{say.ms(number(median(totals) ?? 0))}</strong>
        </Text>
        <Text size="sm">
          {say.slowest} <strong>{say.ms(number(Math.max(0, ...totals)))}</strong>
        </Text>
      </Group>
      <Text size="xs" c="dimmed">
        {say.waterfallNote}
      </Text>
      <Group gap="4px 16px" mt="xs">
        {steps.map((step) => (
          <span key={step} className={classes.legend}>
            <Swatch step={step} />
            <strong>{say.steps[step]}</strong> {say.stepHints[step]}
          </span>
        ))}
      </Group>
    </Box>
  )
}

const TurnRow = ({ turn, said, times, maxLength }: { turn: number; said: string; times: readonly StepTime[]; maxLength: number }) => {
  const say = useText(text)
  const { number } = useFormat()
  return (
    <tr>
      <th scope="row" className={classes.turn}>
        {turn}
        {said !== '' && <span className={classes.said}>{said}</span>}
      </th>
      <td className={classes.barCell} aria-hidden="true">
        <TurnBar times={times} maxLength={maxLength} />
      </td>
      {steps.map((step) => {
        const time = times.find((one) => one.step === step)
        return (
          <td key={step} className={classes.figure} data-label={say.steps[step]}>
            {time ? say.ms(number(time.toMs - time.fromMs)) : say.unknown}
          </td>
        )
      })}
      <td className={classes.figure} data-label={say.total}>
        <strong>{say.ms(number(endOf(times)))}</strong>
      </td>
    </tr>
  )
}
