import { ActionIcon, Button, Stack, Text, Tooltip } from '@mantine/core'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './call-buttons.module.css'
import type { TalkView } from './talk.ts'
import { text } from './text.ts'

interface CallButtonsProps {
  view: TalkView
  /** `silently`: without requesting the microphone. */
  onCall: (silently: boolean) => void
  onHangUp: () => void
  onMute: (muted: boolean) => void
  keypad: { id: string; isShown: boolean; onToggle: () => void }
}

/** One big button that calls or hangs up. It stays the same element, so that the keyboard focus stays. */
export const CallButtons = ({ view, onCall, onHangUp, onMute, keypad }: CallButtonsProps) => {
  const say = useText(text)
  const { state, muted, hasMicrophone } = view
  const isOver = state === 'idle' || state === 'ended'
  return (
    <Stack align="center" gap="xs">
      <div className={classes.row}>
        {!isOver && hasMicrophone && (
          <Tooltip label={muted ? say.unmute : say.mute}>
            <ActionIcon
              variant={muted ? 'filled' : 'default'}
              size={52}
              radius={26}
              aria-label={muted ? say.unmute : say.mute}
              onClick={() => onMute(!muted)}
            >
              <Icon name={muted ? 'microphoneOff' : 'microphone'} size={22} />
            </ActionIcon>
          </Tooltip>
        )}
        <button
          type="button"
          className={classes.big}
          data-action={isOver ? 'call' : 'hangUp'}
          onClick={() => (isOver ? onCall(false) : onHangUp())}
        >
          <Icon name={isOver ? 'phone' : 'hangUp'} size={30} />
          <span>{!isOver ? say.hangUp : state === 'ended' ? say.again : say.call}</span>
        </button>
        {state === 'answered' && <KeypadButton {...keypad} />}
      </div>
      {isOver && (
        <Button variant="subtle" size="sm" leftSection={<Icon name="message" size={16} />} onClick={() => onCall(true)}>
          {say.callSilently}
        </Button>
      )}
      {!isOver && muted && (
        <Text size="sm" role="status">
          {say.muted}
        </Text>
      )}
    </Stack>
  )
}

const KeypadButton = ({ id, isShown, onToggle }: CallButtonsProps['keypad']) => {
  const say = useText(text)
  return (
    <Tooltip label={say.keypad}>
      <ActionIcon
        variant={isShown ? 'light' : 'default'}
        size={52}
        radius={26}
        aria-label={say.showKeypad}
        aria-expanded={isShown}
        aria-controls={id}
        onClick={onToggle}
      >
        <Icon name="keypad" size={22} />
      </ActionIcon>
    </Tooltip>
  )
}
