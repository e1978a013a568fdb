import { Box, Button } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import { EmptyState } from '../../../parts/empty-state.tsx'
import { useText } from '../../../words/use-text.tsx'
import { isChanging, type Utterance } from './conversation.ts'
import classes from './conversation-view.module.css'
import { text } from './text.ts'
import { UtteranceView } from './utterance-view.tsx'

/** As many as are drawn at once; the rest waits for somebody who asks. */
const atOnce = 100

export interface ConversationViewProps {
  utterances: readonly Utterance[]
  startedAt: number | undefined
  own: boolean
  /** It goes on: the newest is what one wants to see. */
  isLive: boolean
  onSeek: ((at: number) => void) | undefined
}

/** What was heard and what was really spoken. New things are read out to those who do not see them; words that still change are not. */
export const ConversationView = ({ utterances, startedAt, own, isLive, onSeek }: ConversationViewProps) => {
  const say = useText(text)
  const [shown, setShown] = useState(atOnce)
  const told = utterances.filter((utterance) => !isChanging(utterance))
  const changing = utterances.filter(isChanging).slice(-2)
  const box = useEndOf(utterances, isLive)
  if (utterances.length === 0)
    return (
      <EmptyState icon="message" title={say.noConversation}>
        {say.noConversationBody}
      </EmptyState>
    )
  const hidden = Math.max(0, told.length - shown)
  return (
    <Box ref={box} className={classes.box} tabIndex={0} role="region" aria-label={say.conversation}>
      {hidden > 0 && (
        <Button variant="subtle" size="xs" className={classes.earlier} onClick={() => setShown(shown + atOnce)}>
          {say.earlier(Math.min(hidden, atOnce))}
        </Button>
      )}
      <div role="log" aria-live="polite" aria-label={say.conversation} className={classes.log}>
        {told.slice(hidden).map((utterance) => (
          <UtteranceView key={utterance.key} utterance={utterance} startedAt={startedAt} own={own} onSeek={onSeek} />
        ))}
      </div>
      {changing.map((utterance) => (
        <UtteranceView key={utterance.key} utterance={utterance} startedAt={startedAt} own={own} onSeek={undefined} />
      ))}
    </Box>
  )
}

/** Stays at the end as long as nobody scrolls away from it. */
const useEndOf = (content: readonly unknown[], isLive: boolean) => {
  const box = useRef<HTMLDivElement>(null)
  const before = useRef(0)
  useLayoutEffect(() => {
    const element = box.current
    if (!element || !isLive) return
    const wasAtEnd = element.scrollTop + element.clientHeight >= before.current - 48
    before.current = element.scrollHeight
    if (wasAtEnd) element.scrollTop = element.scrollHeight
  }, [content, isLive])
  return box
}
