import { Box, Button } from '@mantine/core'
import { Fragment, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { useText } from '#words/use-text.tsx'
import { isChanging, type Utterance } from './conversation.ts'
import classes from './conversation-view.module.css'
import { text } from './text.ts'
import type { TurnTimes } from './timeline-book.ts'
import { TurnStrip } from './turn-bar.tsx'
import { endOf, stepsOf } from './turn-steps.ts'
import { UtteranceView } from './utterance-view.tsx'
import { withWaits, type TimesOfTurns } from './with-waits.ts'

/** How many are drawn at once; the rest is drawn on demand. */
const concurrency = 100

export interface ConversationViewProps {
  utterances: readonly Utterance[]
  /** How long the answers took. */
  turns: readonly TurnTimes[]
  startedAt: number | undefined
  own: boolean
  /** It goes on: the newest is what one wants to see. */
  isLive: boolean
  onSeek: ((at: number) => void) | undefined
  /** To the event that an answer belongs to. */
  onExplain: (eventId: string) => void
}

/** What was heard and what was really spoken. Screen readers read new things out; words that still change are not read. */
export const ConversationView = ({ utterances, turns, isLive, ...shown }: ConversationViewProps) => {
  const say = useText(text)
  const [most, setMost] = useState(concurrency)
  const { timesOf, maxLength } = useTurnSteps(turns)
  const notified = utterances.filter((utterance) => !isChanging(utterance))
  const changing = utterances.filter(isChanging).slice(-2)
  const box = useEndOf([utterances, turns], isLive)
  if (utterances.length === 0)
    return (
      <EmptyState icon="message" title={say.noConversation}>
        {shown.own ? say.noConversationYet : say.noConversationBody}
      </EmptyState>
    )
  const hidden = Math.max(0, notified.length - most)
  const { rows, waiting } = withWaits(notified.slice(hidden), timesOf)
  return (
    <Box ref={box} className={classes.box} tabIndex={0} role="region" aria-label={say.conversation}>
      {hidden > 0 && (
        <Button variant="subtle" size="xs" className={classes.earlier} onClick={() => setMost(most + concurrency)}>
          {say.earlier(Math.min(hidden, concurrency))}
        </Button>
      )}
      <div role="log" aria-live="polite" aria-label={say.conversation} className={classes.log}>
        {rows.map(({ utterance, waited }) => (
          <Fragment key={utterance.key}>
            {waited && <TurnStrip times={waited} maxLength={maxLength} />}
            <UtteranceView utterance={utterance} {...shown} />
          </Fragment>
        ))}
        {waiting && <TurnStrip times={waiting} maxLength={maxLength} />}
      </div>
      {changing.map((utterance) => (
        <UtteranceView key={utterance.key} utterance={utterance} {...shown} onSeek={undefined} />
      ))}
    </Box>
  )
}

const useTurnSteps = (turns: readonly TurnTimes[]): { timesOf: TimesOfTurns; maxLength: number } =>
  useMemo(() => {
    const timesOf = new Map(turns.map(({ turn, times }) => [turn, stepsOf(times)]))
    return { timesOf, maxLength: Math.max(1, ...[...timesOf.values()].map(endOf)) }
  }, [turns])

/** Stays at the end until the user scrolls away from it; also when the call ends meanwhile. */
const useEndOf = (content: readonly [unknown, unknown], isLive: boolean) => {
  const box = useRef<HTMLDivElement>(null)
  const before = useRef(0)
  const follows = useRef(isLive)
  const [utterances, turns] = content
  useLayoutEffect(() => {
    const element = box.current
    follows.current ||= isLive
    if (!element || !follows.current) return
    const wasAtEnd = element.scrollTop + element.clientHeight >= before.current - 48
    before.current = element.scrollHeight
    if (wasAtEnd) element.scrollTop = element.scrollHeight
  }, [utterances, turns, isLive])
  return box
}
