import { ActionIcon, Tooltip } from '@mantine/core'
import { memo } from 'react'
import { Icon } from '#parts/icon/icon.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { isChanging, unspokenPart, type Utterance } from './conversation.ts'
import classes from './conversation-view.module.css'
import { text } from './text.ts'

export interface UtteranceViewProps {
  utterance: Utterance
  startedAt: number | undefined
  own: boolean
  onSeek: ((at: number) => void) | undefined
  onExplain: (eventId: string) => void
}

/** Drawn again only when it has changed. */
export const UtteranceView = memo(({ utterance, startedAt, own, onSeek, onExplain }: UtteranceViewProps) => {
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
