import { ActionIcon, Button, Stack, Text } from '@mantine/core'
import { Icon } from '../../parts/icon.tsx'
import { useText } from '../../words/use-text.tsx'
import classes from './call-buttons.module.css'
import type { TalkView } from './talk.ts'
import { text } from './text.ts'

export interface CallButtonsProps {
  view: TalkView
  /** `silently`: without asking for the microphone. */
  onCall: (silently: boolean) => void
  onHangUp: () => void
  onMute: (muted: boolean) => void
  keypad: { id: string; isShown: boolean; onToggle: () => void }
}

/** One big button that calls or hangs up. */
export const CallButtons = ({ view, onCall, onHangUp, onMute, keypad }: CallButtonsProps) => {
  const say = useText(text)
  const { state, muted, hasMicrophone } = view
  if (state === 'idle' || state === 'ended')
    return (
      <Stack align="center" gap="xs">
        <button type="button" className={classes.big} data-deed="call" onClick={() => onCall(false)}>
          <Icon name="phone" size={30} />
          <span>{state === 'ended' ? say.again : say.call}</span>
        </button>
        <Button variant="subtle" size="sm" leftSection={<Icon name="message" size={16} />} onClick={() => onCall(true)}>
          {say.callSilently}
        </Button>
      </Stack>
    )
  return (
    <Stack align="center" gap="xs">
      <div className={classes.row}>
        {hasMicrophone && (
          <ActionIcon
            variant={muted ? 'filled' : 'default'}
            size={52}
            radius={26}
            aria-label={muted ? say.unmute : say.mute}
            aria-pressed={muted}
            onClick={() => onMute(!muted)}
          >
            <Icon name={muted ? 'microphoneOff' : 'microphone'} size={22} />
          </ActionIcon>
        )}
        <button type="button" className={classes.big} data-deed="hangUp" onClick={onHangUp}>
          <Icon name="hangUp" size={30} />
          <span>{say.hangUp}</span>
        </button>
        {state === 'answered' && (
          <ActionIcon
            variant={keypad.isShown ? 'light' : 'default'}
            size={52}
            radius={26}
            aria-label={say.showKeypad}
            aria-expanded={keypad.isShown}
            aria-controls={keypad.id}
            onClick={keypad.onToggle}
          >
            <Icon name="keypad" size={22} />
          </ActionIcon>
        )}
      </div>
      {muted && (
        <Text size="sm" role="status">
          {say.muted}
        </Text>
      )}
    </Stack>
  )
}
