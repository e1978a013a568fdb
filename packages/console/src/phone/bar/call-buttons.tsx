import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { Icon, type IconName } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import type { PhoneCall } from '#api/phone/calls.ts'
import { phoneLine } from '#api/phone/phone-line.ts'
import classes from './call-bar.module.css'
import { text } from './text.ts'

export type Panel = 'keys' | 'transfer'

interface CallButtonsProps {
  call: PhoneCall
  /** The others wait, and can only be switched to or ended. */
  isSpoken: boolean
  panel: Panel | undefined
  onPanel: (panel: Panel) => void
}

export const CallButtons = ({ call, isSpoken, panel, onPanel }: CallButtonsProps) => {
  const say = useText(text)
  const mayRecord = useMay()('CAN_CONTROL_CALLS')
  const { id, phase, held, muted, recording } = call
  const talks = phase === 'talking'
  return (
    <div className={classes.buttons}>
      {talks && !isSpoken && (
        <Button
          size="xs"
          variant="light"
          leftSection={<Icon name="switch" size={16} />}
          onClick={() => phoneLine.wish((phone) => phone.hold(id, false))}
        >
          {say.switchTo}
        </Button>
      )}
      {talks && isSpoken && (
        <>
          <Tool
            icon={muted ? 'microphoneOff' : 'microphone'}
            label={say.mute}
            pressed={muted}
            onClick={() => phoneLine.wish((phone) => phone.mute(id, !muted))}
          />
          <Tool
            icon={held ? 'play' : 'pause'}
            label={held ? say.resume : say.hold}
            pressed={held}
            onClick={() => phoneLine.wish((phone) => phone.hold(id, !held))}
          />
          <Tool icon="keypad" label={say.keypad} expanded={panel === 'keys'} onClick={() => onPanel('keys')} />
          <Tool icon="forward" label={say.transfer} expanded={panel === 'transfer'} onClick={() => onPanel('transfer')} />
          {mayRecord && (
            <Tool
              icon="record"
              label={recording ? say.recording : say.record}
              pressed={recording}
              onClick={() => phoneLine.wish((phone) => phone.record(id, !recording))}
            />
          )}
        </>
      )}
      <Tooltip label={say.hangUp}>
        <ActionIcon
          size="lg"
          variant="filled"
          color="red.8"
          aria-label={say.hangUp}
          onClick={() => phoneLine.wish((phone) => phone.hangUp(id))}
        >
          <Icon name="hangUp" />
        </ActionIcon>
      </Tooltip>
    </div>
  )
}

interface ToolProps {
  icon: IconName
  label: string
  onClick: () => void
  /** Of something that is on or off. */
  pressed?: boolean
  /** Of something that opens. */
  expanded?: boolean
}

const Tool = ({ icon, label, onClick, pressed, expanded }: ToolProps) => (
  <Tooltip label={label}>
    <ActionIcon
      size="lg"
      variant={pressed === true || expanded === true ? 'light' : 'subtle'}
      color={pressed === true ? 'yellow' : 'gray'}
      aria-label={label}
      aria-pressed={pressed}
      aria-expanded={expanded}
      onClick={onClick}
    >
      <Icon name={icon} />
    </ActionIcon>
  </Tooltip>
)
