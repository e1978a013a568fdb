import { Button, Group, NumberInput, Stack, Switch, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { text as partsText } from '#parts/text.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { fieldProblem } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { Greetings } from './greetings.tsx'
import { text } from './text.ts'

type Voicemail = OutputOf<'getVoicemail'>

interface VoicemailSectionProps {
  voicemailId: string
  mayChange: boolean
  /** The ringing time of a group is set at the group. */
  ofGroup?: boolean
}

/** A voicemail of a line or of a group, with its greetings. */
export const VoicemailSection = ({ voicemailId, mayChange, ofGroup = false }: VoicemailSectionProps) => {
  const say = useText(text)
  const voicemail = useRead('getVoicemail', { voicemailId })
  return (
    <>
      <Section title={say.title}>
        <Loaded query={voicemail}>{(data) => <Settings voicemail={data} mayChange={mayChange} ofGroup={ofGroup} />}</Loaded>
      </Section>
      <Greetings voicemailId={voicemailId} mayChange={mayChange} />
    </>
  )
}

const Settings = ({ voicemail, mayChange, ofGroup }: { voicemail: Voicemail; mayChange: boolean; ofGroup: boolean }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const { id: voicemailId, active, timeout, transcription, canTranscribe, accessNumber } = voicemail
  const change = useWrite('changeVoicemail', {
    refreshes: ['getVoicemail', 'listPhonelineVoicemails', 'listGroupVoicemails'],
    onDone: () => toast.done(saved),
  })
  const off = !mayChange || change.isPending
  return (
    <Stack gap="lg" maw={520}>
      <Switch
        label={say.active}
        checked={active}
        disabled={off}
        onChange={(event) =>
          change.mutate([{ voicemailId }, { active: event.currentTarget.checked }], { onError: (error) => toast.failed(error) })
        }
      />
      {!ofGroup && (
        <Timeout
          key={timeout}
          timeout={timeout}
          disabled={off}
          error={fieldProblem(change.error, 'timeout')}
          onSave={(seconds) => change.mutate([{ voicemailId }, { timeout: seconds }])}
        />
      )}
      <Switch
        label={say.transcription}
        description={canTranscribe ? undefined : say.cannotTranscribe}
        checked={transcription}
        disabled={off || (!canTranscribe && !transcription)}
        onChange={(event) =>
          change.mutate([{ voicemailId }, { transcription: event.currentTarget.checked }], { onError: (error) => toast.failed(error) })
        }
      />
      <Text size="sm" c="dimmed">
        {say.access(accessNumber)}
      </Text>
    </Stack>
  )
}

interface TimeoutProps {
  timeout: number
  disabled: boolean
  error: ReactNode
  onSave: (seconds: number) => void
}

const Timeout = ({ timeout, disabled, error, onSave }: TimeoutProps) => {
  const say = useText(text)
  const { save } = useText(partsText)
  const [seconds, setSeconds] = useState<number | string>(timeout)
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <NumberInput
        label={say.timeout}
        description={say.timeoutHint}
        flex={1}
        min={0}
        max={120}
        allowDecimal={false}
        value={seconds}
        onChange={setSeconds}
        disabled={disabled}
        error={error}
      />
      {typeof seconds === 'number' && seconds !== timeout && <Button onClick={() => onSave(seconds)}>{save}</Button>}
    </Group>
  )
}
