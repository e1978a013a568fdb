import { Alert, Button, Group } from '@mantine/core'
import { memo, useState } from 'react'
import { useWrite } from '#api/use-service.ts'
import { Icon, type IconName } from '#parts/icon/icon.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import classes from './call-controls.module.css'
import { AnnounceForm, KeysForm, RecordForm } from './call-forms.tsx'
import { TransferForm, type Consulting } from './transfer-form.tsx'
import { text } from '../parts/text.ts'
import { useCallControl } from './use-call-control.ts'
import type { RunningCall } from './use-running-calls.ts'

type FormName = 'record' | 'transfer' | 'keys' | 'announce'

/** Everything that can be done with a running call. Drawn again only when that changes, not with everything that happens in it. */
export const CallControls = memo(({ call }: { call: RunningCall }) => {
  const say = useText(text)
  const control = useCallControl(call)
  const [form, setForm] = useState<FormName>()
  const [consulting, setConsulting] = useState<Consulting>()
  const close = (): void => setForm(undefined)
  const { hold, muted, recording, callId } = call
  return (
    <>
      {consulting && <Consultation callId={callId} consulting={consulting} onOver={() => setConsulting(undefined)} />}
      <div className={classes.actions}>
        <Action icon={hold ? 'play' : 'pause'} label={hold ? say.retrieve : say.hold} onClick={() => control.hold(!hold)} />
        <Action icon={muted ? 'microphone' : 'microphoneOff'} label={muted ? say.unmute : say.mute} onClick={() => control.mute(!muted)} />
        <Action
          icon={recording ? 'stop' : 'record'}
          label={recording ? say.stopRecording : say.record}
          onClick={recording ? control.stopRecording : () => setForm('record')}
        />
        <Action icon="forward" label={say.transfer} onClick={() => setForm('transfer')} />
        <Action icon="keypad" label={say.keys} onClick={() => setForm('keys')} />
        <Action icon="sound" label={say.announce} onClick={() => setForm('announce')} />
      </div>
      {form === 'record' && <RecordForm callId={callId} onClose={close} />}
      {form === 'transfer' && <TransferForm callId={callId} onClose={close} onConsulting={setConsulting} />}
      {form === 'keys' && <KeysForm callId={callId} onClose={close} />}
      {form === 'announce' && <AnnounceForm callId={callId} onClose={close} />}
    </>
  )
})

/** At the top of the page, where it is found at once. */
export const HangUp = ({ call }: { call: RunningCall }) => {
  const say = useText(text)
  const { hangUp } = useCallControl(call)
  return (
    <Button color="red.8" leftSection={<Icon name="hangUp" size={16} />} onClick={() => void hangUp()}>
      {say.hangUp}
    </Button>
  )
}

const Action = ({ icon, label, onClick }: { icon: IconName; label: string; onClick: () => void }) => (
  <Button variant="default" leftSection={<Icon name={icon} size={16} />} onClick={onClick}>
    {label}
  </Button>
)

/** Between talking to the new party and handing the call over, or not. */
const Consultation = ({ callId, consulting, onOver }: { callId: string; consulting: Consulting; onOver: () => void }) => {
  const say = useText(text)
  const { phone } = useFormat()
  const { failed } = useToast()
  const done = { refreshes: ['listCalls'] as const, onDone: onOver }
  const complete = useWrite('transferCall', done)
  const callOff = useWrite('holdCall', done)
  const { phoneNumber } = consulting
  return (
    <Alert color="blue" mb="md" icon={<Icon name="forward" />} title={say.consulting(phone(phoneNumber))}>
      <Group gap="xs">
        <Button
          size="xs"
          loading={complete.isPending}
          onClick={() => complete.mutate([{ callId }, { attended: false, phoneNumber }], { onError: failed })}
        >
          {say.complete}
        </Button>
        <Button
          size="xs"
          variant="default"
          loading={callOff.isPending}
          onClick={() => callOff.mutate([{ callId }, { value: false }], { onError: failed })}
        >
          {say.callOff}
        </Button>
      </Group>
    </Alert>
  )
}
