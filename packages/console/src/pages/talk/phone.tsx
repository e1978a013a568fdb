import { Alert, Button, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useText } from '../../words/use-text.tsx'
import { CallButtons } from './call-buttons.tsx'
import { Keypad } from './keypad.tsx'
import { PhoneState } from './phone-state.tsx'
import { LineLost, type Talk, type TalkView } from './talk.ts'
import { text } from './text.ts'
import { TextLine } from './text-line.tsx'
import { Waveform } from './waveform.tsx'

export interface PhoneProps {
  talk: Talk
  view: TalkView
  flowId: string
  /** Why the call ended, when that is known. */
  explanation: string | undefined
}

/** A telephone in the page: calls, listens, speaks, has keys and a line to type on. */
export const Phone = ({ talk, view, flowId, explanation }: PhoneProps) => {
  const say = useText(text)
  const inCall = view.state === 'answered'
  return (
    <Stack gap="md">
      <PhoneState view={view} />
      <Waveform levels={talk.levels} running={inCall} />
      <CallButtons
        view={view}
        onCall={(silently) => void talk.call(flowId, { silently })}
        onHangUp={() => talk.hangUp()}
        onMute={(muted) => talk.mute(muted)}
      />
      <Notices view={view} explanation={explanation} onType={() => void talk.call(flowId, { silently: true })} />
      {inCall && <TextLine onSend={(words) => talk.write(words)} remark={view.remark} />}
      {inCall && (
        <div>
          <Keypad label={say.keypad} onPress={(digit) => talk.press(digit)} />
          <Text size="xs" c="dimmed" ta="center" mt={6}>
            {say.keypadHint}
          </Text>
        </div>
      )}
    </Stack>
  )
}

const Notices = ({ view, explanation, onType }: { view: TalkView; explanation: string | undefined; onType: () => void }) => {
  const say = useText(text)
  const { state, microphoneProblem, failure, hasMicrophone, hasSound, callId } = view
  const isOver = state === 'ended'
  return (
    <>
      {microphoneProblem && (
        <Alert color="yellow" role="alert" icon={<Icon name="microphoneOff" />} title={say.microphone[microphoneProblem].title}>
          <Text size="sm">{say.microphone[microphoneProblem].body}</Text>
          {state === 'idle' && (
            <Button size="xs" variant="light" color="yellow" mt="sm" onClick={onType}>
              {say.goOnTyping}
            </Button>
          )}
        </Alert>
      )}
      {state === 'answered' && !hasMicrophone && (
        <Text size="sm" c="dimmed">
          {hasSound ? say.listenOnly : say.textOnly}
        </Text>
      )}
      {failure instanceof LineLost ? <Alert color="red">{say.lineLost}</Alert> : <ErrorNotice error={failure} />}
      {isOver && callId !== undefined && (
        <Alert color="gray" title={say.endedTitle} role="status">
          {explanation !== undefined && <Text size="sm">{explanation}</Text>}
          <Button component={Link} href={`/calls/${callId}`} size="xs" variant="default" mt="xs">
            {say.toCall}
          </Button>
        </Alert>
      )}
    </>
  )
}
