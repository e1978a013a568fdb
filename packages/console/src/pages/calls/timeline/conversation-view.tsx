import { Box, Button, ActionIcon, Tooltip } from '@mantine/core'
import { Fragment, useLayoutEffect, useMemo, useRef, useState, memo } from 'react'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { useText } from '#words/use-text.tsx'
import { isChanging, type Utterance, unspokenPart } from './conversation.ts'
import classes from './conversation-view.module.css'
import { text } from './text.ts'
import type { TurnTimes } from './timeline-book.ts'
import { TurnStrip } from './turn-bar.tsx'
import { endOf, stepsOf } from './turn-steps.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { type TimesOfTurns, withWaits } from './with-waits.ts'

/** Number of initially drawn utterances; the rest on demand. */
const pageSize = 100

interface ConversationViewProps {
  utterances: readonly Utterance[]
  /** Answer times. */
  turns: readonly TurnTimes[]
  startedAt: number | undefined
  own: boolean
  /** The call is running: keeps the newest in view. */
  isLive: boolean
  onSeek: ((at: number) => void) | undefined
  /** Opens the event of an answer. */
  onExplain: (eventId: string) => void
}

/** Recognised and really spoken words. Screen readers announce new entries, except words that may still change. */
export const ConversationView = ({ utterances, turns, isLive, ...shown }: ConversationViewProps) => {
  const say = useText(text)
  const [max, setMax] = useState(pageSize)
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
  const hidden = Math.max(0, notified.length - max)
  const { rows, waiting } = withWaits(notified.slice(hidden), timesOf)
  return (
    <Box ref={box} className={classes.box} tabIndex={0} role="region" aria-label={say.conversation}>
      {hidden > 0 && (
        <Button variant="subtle" size="xs" className={classes.earlier} onClick={() => setMax(max + pageSize)}>
          {say.earlier(Math.min(hidden, pageSize))}
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

/** Stays at the end until the user scrolls away, also when the call ends. */
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

interface UtteranceViewProps {
  utterance: Utterance
  startedAt: number | undefined
  own: boolean
  onSeek: ((at: number) => void) | undefined
  onExplain: (eventId: string) => void
}

/** Rendered only when changed. */
const UtteranceView = memo(({ utterance, startedAt, own, onSeek, onExplain }: UtteranceViewProps) => {
  const say = useText(text)
  if (utterance.who === 'problem')
    return (
      <div className={classes.note} data-tone="problem">
        <span>{utterance.message || say.attemptFailed}</span>
        {utterance.eventId !== undefined && <Why eventId={utterance.eventId} onExplain={onExplain} />}
      </div>
    )
  if (utterance.who === 'briefing')
    return (
      <div className={classes.note}>
        <span>{say.briefing(utterance.entry)}</span>
        <Why eventId={utterance.entry.eventId} onExplain={onExplain} />
      </div>
    )
  if (utterance.who === 'aside') return <div className={classes.note}>{say.aside(utterance.entry)}</div>
  if (utterance.who === 'call') {
    const moments = utterance.moments.flatMap(({ state, explanation }) => [say.moments[state], explanation])
    return <div className={classes.note}>{moments.filter(Boolean).join(' · ')}</div>
  }
  if (utterance.who === 'keys')
    return (
      <div className={classes.bubble} data-who="caller">
        <div className={classes.who}>
          {say.keys}
          <At at={utterance.at} startedAt={startedAt} onSeek={onSeek} />
        </div>
        <kbd>{utterance.digits}</kbd>
      </div>
    )
  const isCaller = utterance.who === 'caller'
  return (
    <div className={classes.bubble} data-who={utterance.who} data-changing={isChanging(utterance)}>
      <div className={classes.who}>
        {isCaller ? (own ? say.you : say.caller) : say.assistant}
        <At at={utterance.at} startedAt={startedAt} onSeek={onSeek} />
        <Marks utterance={utterance} />
        {utterance.who === 'assistant' && <Why eventId={utterance.eventId} onExplain={onExplain} />}
      </div>
      <div>{isCaller ? utterance.text : <Speech speech={utterance} />}</div>
    </div>
  )
})

const Why = ({ eventId, onExplain }: { eventId: string } & Pick<UtteranceViewProps, 'onExplain'>) => {
  const say = useText(text)
  return (
    <Tooltip label={say.why}>
      <ActionIcon className={classes.why} variant="subtle" color="gray" size="sm" aria-label={say.why} onClick={() => onExplain(eventId)}>
        <Icon name="bolt" size={14} />
      </ActionIcon>
    </Tooltip>
  )
}

const At = ({ at, startedAt, onSeek }: { at: number } & Pick<UtteranceViewProps, 'startedAt' | 'onSeek'>) => {
  const { duration } = useFormat()
  if (startedAt === undefined) return null
  const words = duration(at - startedAt)
  if (!onSeek) return <span className={classes.at}>{words}</span>
  return (
    <button type="button" className={classes.seek} onClick={() => onSeek(at)}>
      {words}
    </button>
  )
}

const Marks = ({ utterance }: { utterance: Extract<Utterance, { who: 'caller' | 'assistant' }> }) => {
  const say = useText(text)
  const format = useFormat()
  const marks =
    utterance.who === 'caller'
      ? [utterance.typed && say.typed, utterance.bargedIn && say.bargedIn, utterance.listens === true && say.listens]
      : [
          utterance.state === 'coming' && say.coming,
          utterance.state === 'speaking' && say.speaking,
          utterance.state === 'interrupted' && say.interrupted(format.number(utterance.playedMs / 1000, 1)),
          utterance.state === 'discarded' && say.notSpoken,
        ]
  const tone = utterance.who === 'assistant' && !isChanging(utterance) ? 'warning' : undefined
  return marks
    .filter((mark) => mark !== false)
    .map((mark) => (
      <span key={mark} className={classes.mark} data-tone={tone}>
        {mark}
      </span>
    ))
}

const Speech = ({ speech }: { speech: Extract<Utterance, { who: 'assistant' }> }) => {
  const say = useText(text)
  if (isChanging(speech)) return speech.wanted === '' ? say.sound : speech.wanted
  const unspoken = unspokenPart(speech)
  return (
    <>
      {speech.spoken === '' && unspoken === '' ? say.sound : speech.spoken}
      {unspoken !== '' && (
        <>
          <span className="visually-hidden"> {say.unspoken} </span>
          <del className={classes.unspoken}>{unspoken}</del>
        </>
      )}
    </>
  )
}
