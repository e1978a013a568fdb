import { Group, Text } from '@mantine/core'
import { useNow } from '#lazy-parts/use-now.ts'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import type { TalkState, TalkView } from './talk.ts'
import { text } from './text.ts'

const tones: Readonly<Record<TalkState, Tone>> = { idle: 'quiet', connecting: 'busy', ringing: 'busy', answered: 'good', ended: 'quiet' }

/** How the call is, and how long it has been. */
export const PhoneState = ({ view: { state, held, answeredAt, endedAt } }: { view: TalkView }) => {
  const say = useText(text)
  const { duration } = useFormat()
  const now = useNow(state === 'answered')
  return (
    <Group gap="sm" aria-live="polite">
      <StatusBadge tone={held ? 'warning' : tones[state]} pulse={state !== 'idle' && state !== 'ended'}>
        {held && state === 'answered' ? say.states.held : say.states[state]}
      </StatusBadge>
      {answeredAt !== undefined && (
        <Text size="sm" aria-live="off" aria-label={say.duration} role="timer" style={{ fontVariantNumeric: 'tabular-nums' }}>
          {duration((endedAt ?? now) - answeredAt)}
        </Text>
      )}
    </Group>
  )
}
