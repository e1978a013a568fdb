import { Button, TextInput } from '@mantine/core'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import type { LineId } from './line-id.ts'
import { text } from './text.ts'

export type CallerId = OutputOf<'listSmsCallerIds'>['items'][number]

interface AddCallerIdProps {
  line: LineId
  /** The code is asked for next. */
  onAdded: (callerId: CallerId) => void
  onClose: () => void
}

export const AddCallerId = ({ line, onAdded, onClose }: AddCallerIdProps) => {
  const say = useText(text)
  const add = useWrite('createSmsCallerId', {
    refreshes: ['listSmsCallerIds'],
    onDone: (callerId) => {
      onClose()
      if (!callerId.verified) onAdded(callerId)
    },
  })
  const form = useForm({ phonenumber: '' }, add.error)
  return (
    <FormModal
      opened
      title={say.addCallerId}
      submit={say.sendCode}
      onClose={onClose}
      onSubmit={() => add.mutate([{ ...line }, form.values])}
      pending={add.isPending}
      error={add.error}
    >
      <TextInput
        label={say.number}
        description={say.numberHint}
        placeholder="+49 151 1234567"
        type="tel"
        required
        maxLength={40}
        data-autofocus
        {...form.text('phonenumber')}
      />
    </FormModal>
  )
}

export const VerifyCallerId = ({ line, callerId, onClose }: { line: LineId; callerId: CallerId; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const { phone } = useFormat()
  const verify = useWrite('verifySmsCallerId', {
    refreshes: ['listSmsCallerIds', 'listSms'],
    onDone: () => {
      toast.done(say.confirmed)
      onClose()
    },
  })
  const again = useWrite('createSmsCallerId', { onDone: () => toast.done(say.codeSent) })
  const form = useForm({ code: '' }, verify.error)
  return (
    <FormModal
      opened
      title={say.verifyTitle(phone(callerId.phonenumber))}
      submit={say.confirm}
      onClose={onClose}
      onSubmit={() => verify.mutate([{ ...line, callerIdId: callerId.id }, { code: form.values.code.trim() }])}
      pending={verify.isPending}
      error={verify.error ?? again.error}
    >
      <TextInput
        label={say.code}
        description={say.codeHint}
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        maxLength={16}
        data-autofocus
        {...form.text('code')}
      />
      <div>
        <Button
          variant="subtle"
          size="compact-sm"
          loading={again.isPending}
          onClick={() => again.mutate([{ ...line }, { phonenumber: callerId.phonenumber }])}
        >
          {say.codeAgain}
        </Button>
      </div>
    </FormModal>
  )
}
