import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { Swatch, TurnBar } from '../timeline/turn-bar.tsx'
import classes from './explanation.module.css'
import { text } from './text.ts'
import { sharesOf, waitedMs, waitsOf, waitSteps, type ExplainedTurn, type WaitStep } from './waits.ts'

/** How many are drawn at once; the rest is drawn on demand. */
const concurrency = 20

/** Turn by turn: what was said, and whom the caller waited for. */
export const TurnWaits = ({ turns }: { turns: readonly ExplainedTurn[] }) => {
  const say = useText(text)
  const [most, setMost] = useState(concurrency)
  const maxLength = Math.max(1, ...turns.map(waitedMs))
  const hidden = Math.max(0, turns.length - most)
  return (
    <>
      <Legend turns={turns} />
      <ol className={classes.list} aria-label={say.turns}>
        {turns.slice(0, most).map((turn) => (
          <TurnWait key={turn.turn} turn={turn} maxLength={maxLength} />
        ))}
      </ol>
      {hidden > 0 && (
        <Button variant="subtle" size="xs" mt="xs" onClick={() => setMost(most + concurrency)}>
          {say.moreTurns(Math.min(hidden, concurrency))}
        </Button>
      )}
    </>
  )
}

/** Only of steps that there are: not every endpoint tells of its model. */
const Legend = ({ turns }: { turns: readonly ExplainedTurn[] }) => {
  const say = useText(text)
  const known = new Set(turns.flatMap((turn) => sharesOf(turn).map(({ step }) => step)))
  return (
    <div className={classes.legend}>
      <Text size="xs" c="dimmed">
        {say.turnsNote}
      </Text>
      {waitSteps
        .filter((step) => known.has(step))
        .map((step) => (
          <span key={step}>
            <Swatch step={step} /> <strong>{say.steps[step]}</strong> {say.stepHints[step]}
          </span>
        ))}
    </div>
  )
}

const TurnWait = ({ turn, maxLength }: { turn: ExplainedTurn; maxLength: number }) => {
  const say = useText(text)
  const { number } = useFormat()
  const waits = waitsOf(turn)
  const share = (step: WaitStep, ms: number): string =>
    `${say.share(say.steps[step], number(ms))}${step === turn.slowest ? ` (${say.slowest})` : ''}`
  return (
    <li className={classes.turn}>
      <div className={classes.head}>
        <strong>{say.inTurn(turn.turn)}</strong>
        <span className={classes.total}>{waits.length === 0 ? say.noWait : say.waited(number(waitedMs(turn)))}</span>
      </div>
      <Said who={say.caller} words={turn.caller} mark={turn.rule && say.rules[turn.rule]} />
      {waits.length > 0 && <TurnBar times={waits} maxLength={maxLength} />}
      <Text size="xs" c="dimmed">
        {sharesOf(turn)
          .map(({ step, ms }) => share(step, ms))
          .join(' · ')}
      </Text>
      <Said who={say.assistant} words={turn.assistant} mark={turn.cut && say.cut} />
    </li>
  )
}

const Said = ({ who, words, mark }: { who: string; words: string | undefined; mark: string | undefined }) => {
  if (words === undefined) return null
  return (
    <Text size="sm" className={classes.said}>
      <Text span inherit c="dimmed">
        {who}:
      </Text>{' '}
      {words}
      {mark !== undefined && (
        <Text span size="xs" c="dimmed">
          {' '}
          ({mark})
        </Text>
      )}
    </Text>
  )
}
