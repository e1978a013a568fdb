import { Checkbox, Stack, Text, TextInput } from '@mantine/core'
import { Dialog } from '#parts/modal/dialog.tsx'
import { useState } from 'react'
import { useWrite } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { Keypad, useTelephoneKeys } from '#lazy-parts/keypad.tsx'
import { text } from '../parts/text.ts'

export interface CallFormProps {
  callId: string
  onClose: () => void
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
