import { Checkbox, Modal, NativeSelect, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { text as partsText } from '#parts/text.ts'
import { useForm, type Form } from '#parts/form/use-form.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { Keypad, useTelephoneKeys } from '#parts-of-few/keypad.tsx'
import { text } from '../parts/text.ts'

interface CallFormProps {
  callId: string
  onClose: () => void
}

/** The new party in a transfer that is talked about first. */
export interface Consulting {
  phoneNumber: string
}

export const RecordForm = ({ callId, onClose }: CallFormProps) => {
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

export const TransferForm = ({ callId, onClose, onConsulting }: CallFormProps & { onConsulting: (consulting: Consulting) => void }) => {
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

/** One of the account's numbers. Draws nothing for those who may not see them. */
const CallerIdField = (field: ReturnType<Form<object>['text']>) => {
  const say = useText(text)
  const { phone } = useFormat()
  const mayList = useMay()('CAN_GET_NUMBERS')
  const numbers = useRead('listNumbers', {}, { when: mayList })
  const own = (numbers.data?.items ?? []).filter(({ type, state }) => type !== 'QUICKDIAL' && state === 'ACTIVE')
  if (own.length === 0) return null
  const choices = own.map(({ number }) => ({ value: number, label: phone(number) }))
  const data = [{ value: '', label: say.usualCallerId }, ...choices]
  return <NativeSelect label={say.callerId} description={say.callerIdHint} {...field} data={data} />
}

export const AnnounceForm = ({ callId, onClose }: CallFormProps) => {
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

/** Each key goes out as it is pressed. */
export const KeysForm = ({ callId, onClose }: CallFormProps) => {
  const say = useText(text)
  const shared = useText(partsText)
  const [sent, setSent] = useState('')
  const send = useWrite('sendDtmf')
  const press = (sequence: string): void => {
    setSent((before) => before + sequence)
    send.mutate([{ callId }, { sequence }])
  }
  const lit = useTelephoneKeys(true, press)
  return (
    <Modal opened onClose={onClose} title={say.keysTitle} size="xs" closeButtonProps={{ 'aria-label': shared.close }}>
      <Stack>
        <Keypad label={say.keysTitle} lit={lit} onPress={press} />
        <Text size="sm" ta="center" aria-live="polite" mih="1.5em">
          {sent !== '' && `${say.keysSent} ${sent}`}
        </Text>
        <ErrorNotice error={send.error} />
      </Stack>
    </Modal>
  )
}
