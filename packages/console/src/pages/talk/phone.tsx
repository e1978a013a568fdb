import { Alert, Button, Stack, Text } from '@mantine/core'
import { memo, useId, useState } from 'react'
import { Link } from 'wouter'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { CallButtons } from './call-buttons.tsx'
import { Keypad, useTelephoneKeys } from '#lazy-parts/keypad.tsx'
import { LineLost, type Talk, type TalkView } from './talk.ts'
import { text } from './text.ts'
import { TextLine } from './text-line.tsx'
import { Waveform } from './waveform.tsx'

export interface PhoneProps {
  talk: Talk
  view: TalkView
  /** `silently`: without asking for the microphone. */
  onCall: (silently: boolean) => void
  /** Why the call ended, when that is known. */
  explanation: string | undefined
  /** The call in figures. */
  summary: string | undefined
}

/** A telephone in the page: calls, listens, speaks, has keys and a line to type on. It is not drawn again with everything that happens. */
export const Phone = memo(({ talk, view, onCall, explanation, summary }: PhoneProps) => {
  const say = useText(text)
  const inCall = view.state === 'answered'
  const keypadId = useId()
  const [hasKeypad, setKeypad] = useState(false)
  const lit = useTelephoneKeys(inCall, (digit) => talk.press(digit))
  return (
    <Stack gap="md">
      <Waveform levels={talk.levels} running={inCall} />
      <CallButtons
        view={view}
        onCall={onCall}
        onHangUp={() => talk.hangUp()}
        onMute={(muted) => talk.mute(muted)}
        keypad={{ id: keypadId, isShown: hasKeypad, onToggle: () => setKeypad(!hasKeypad) }}
      />
      <Notices view={view} ended={[explanation, summary]} onType={() => onCall(true)} />
      {inCall && <TextLine onSend={(words) => talk.write(words)} remark={view.remark} isOnlyWay={!view.hasMicrophone} />}
      {inCall && hasKeypad && (
        <div id={keypadId}>
          <Keypad label={say.keypad} lit={lit} onPress={(digit) => talk.press(digit)} />
          <Text size="xs" c="dimmed" ta="center" mt={6}>
            {say.keypadHint}
          </Text>
        </div>
      )}
    </Stack>
  )
})

type NoticesProps = { view: TalkView; ended: readonly (string | undefined)[]; onType: () => void }

const Notices = ({ view, ended, onType }: NoticesProps) => {
  const say = useText(text)
  const { state, microphoneProblem, failure, hasMicrophone, hasSound, callId } = view
  const isOver = state === 'ended'
  return (
    <>
      {microphoneProblem && (
        <Alert color="yellow" role="alert" icon={<Icon name="microphoneOff" />} title={say.microphone[microphoneProblem].title}>
          <Text size="sm">{say.microphone[microphoneProblem].body}</Text>
          {state === 'idle' && (
            <Button size="xs" variant="default" mt="sm" onClick={onType}>
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
      {failure instanceof LineLost ? (
        <Alert color="red">{callId === undefined ? say.notTaken : say.lineLost}</Alert>
      ) : (
        <ErrorNotice error={failure} />
      )}
      {isOver && callId !== undefined && (
        <Alert color="gray" title={say.endedTitle} role="status">
          {ended.map(
            (line) =>
              line !== undefined && (
                <Text key={line} size="sm">
                  {line}
                </Text>
              ),
          )}
          <Button component={Link} href={`/calls/${callId}`} size="xs" variant="default" mt="xs">
            {say.toCall}
          </Button>
        </Alert>
      )}
    </>
  )
}
