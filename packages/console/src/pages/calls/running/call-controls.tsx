import { Alert, Button, Group, NativeSelect, SegmentedControl, Text, TextInput, Checkbox, Stack } from '@mantine/core'
import { memo, useState } from 'react'
import { useWrite, useRead } from '#api/use-service.ts'
import { Icon, type IconName } from '#parts/icon/icon.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import classes from './call-controls.module.css'
import { text } from '../parts/text.ts'
import { useCallControl } from './running-calls.tsx'
import type { RunningCall } from './use-running-calls.ts'
import { useMay } from '#api/use-may.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm, type Form } from '#parts/form/use-form.ts'
import { Dialog } from '#parts/modal/dialog.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Keypad, useTelephoneKeys } from '#lazy-parts/keypad.tsx'

interface CallFormProps {
  callId: string
  onClose: () => void
}

const RecordForm = ({ callId, onClose }: CallFormProps) => {
  const say = useText(text)
  const record = useWrite('recordCall', { refreshes: ['listCalls'], onDone: onClose })
  const form = useForm({ announcement: true }, record.error)
  return (
    <FormModal
      opened
      title={say.recordTitle}
      submit={say.record}
      onClose={onClose}
      onSubmit={() => record.mutate([{ callId }, { value: true, ...form.values }])}
      pending={record.isPending}
      error={record.error}
    >
      <Checkbox label={say.recordAnnounced} description={say.recordAnnouncedHint} {...form.tick('announcement')} />
    </FormModal>
  )
}

const AnnounceForm = ({ callId, onClose }: CallFormProps) => {
  const say = useText(text)
  const announce = useWrite('announceInCall', { onDone: onClose })
  const form = useForm({ url: '' }, announce.error)
  return (
    <FormModal
      opened
      title={say.announceTitle}
      submit={say.play}
      onClose={onClose}
      onSubmit={() => announce.mutate([{ callId }, form.values])}
      pending={announce.isPending}
      error={announce.error}
    >
      <TextInput label={say.announceUrl} description={say.announceHint} type="url" required data-autofocus {...form.text('url')} />
    </FormModal>
  )
}

/** Sends each key as it is pressed. */
const KeysForm = ({ callId, onClose }: CallFormProps) => {
  const say = useText(text)
  const [sent, setSent] = useState('')
  const send = useWrite('sendDtmf')
  const press = (sequence: string): void => {
    setSent((before) => before + sequence)
    send.mutate([{ callId }, { sequence }])
  }
  const lit = useTelephoneKeys(true, press)
  return (
    <Dialog onClose={onClose} title={say.keysTitle} size="xs">
      <Stack>
        <Keypad label={say.keysTitle} lit={lit} onPress={press} />
        <Text size="sm" ta="center" aria-live="polite" mih="1.5em">
          {sent !== '' && `${say.keysSent} ${sent}`}
        </Text>
        <ErrorNotice error={send.error} />
      </Stack>
    </Dialog>
  )
}

/** The new party of a consultation transfer. */
interface Consulting {
  phoneNumber: string
}

const TransferForm = ({ callId, onClose, onConsulting }: CallFormProps & { onConsulting: (consulting: Consulting) => void }) => {
  const say = useText(text)
  const transfer = useWrite('transferCall', {
    refreshes: ['listCalls'],
    onDone: (_reply, [, { attended, phoneNumber }]) => {
      if (attended) onConsulting({ phoneNumber })
      onClose()
    },
  })
  const form = useForm({ phoneNumber: '', way: 'blind', callerId: '' }, transfer.error)
  const { way, callerId } = form.values
  const phoneNumber = form.values.phoneNumber.replaceAll(/[\s()/-]/g, '')
  return (
    <FormModal
      opened
      title={say.transferTitle}
      submit={say.transfer}
      onClose={onClose}
      onSubmit={() => transfer.mutate([{ callId }, { attended: way === 'attended', phoneNumber, ...(callerId !== '' && { callerId }) }])}
      pending={transfer.isPending}
      error={transfer.error}
    >
      <TextInput label={say.transferTo} description={say.transferHint} type="tel" required data-autofocus {...form.text('phoneNumber')} />
      <div>
        <SegmentedControl
          fullWidth
          aria-label={say.how}
          data={(['blind', 'attended'] as const).map((value) => ({ value, label: say[value] }))}
          value={way}
          onChange={(value) => form.set('way', value)}
        />
        <Text size="xs" c="dimmed" mt={6}>
          {way === 'attended' ? say.attendedHint : say.blindHint}
        </Text>
      </div>
      <CallerIdField {...form.text('callerId')} />
    </FormModal>
  )
}

/** One of the account's numbers. Empty for a user who may not see them. */
const CallerIdField = (field: ReturnType<Form<object>['text']>) => {
  const say = useText(text)
  const { phone } = useFormat()
  const mayList = useMay()('CAN_GET_NUMBERS')
  const numbers = useRead('listNumbers', {}, { when: mayList })
  const own = (numbers.data?.items ?? []).filter(({ type, state }) => type !== 'QUICKDIAL' && state === 'ACTIVE')
  if (own.length === 0) return null
  const choices = own.map(({ number }) => ({ value: number, label: phone(number) }))
  const data = [{ value: '', label: say.defaultCallerId }, ...choices]
  return <NativeSelect label={say.callerId} description={say.callerIdHint} {...field} data={data} />
}

type FormName = 'record' | 'transfer' | 'keys' | 'announce'

/** All controls of a running call. Rendered only when they change, not on every event. */
export const CallControls = memo(({ call }: { call: RunningCall }) => {
  const say = useText(text)
  const control = useCallControl(call)
  const [form, setForm] = useState<FormName>()
  const [consulting, setConsulting] = useState<Consulting>()
  const close = (): void => setForm(undefined)
  const { hold, muted, recording, recordingPaused = false, callId } = call
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
        {recording && (
          <Action
            icon={recordingPaused ? 'record' : 'pause'}
            label={recordingPaused ? say.resumeRecording : say.pauseRecording}
            onClick={() => control.pauseRecording(!recordingPaused)}
          />
        )}
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

/** At the top of the page, where it is easy to find. */
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

/** During a consultation: completes the transfer, or cancels it. */
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
