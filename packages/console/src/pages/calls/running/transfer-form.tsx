import { NativeSelect, SegmentedControl, Text, TextInput } from '@mantine/core'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm, type Form } from '#parts/form/use-form.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text } from '../parts/text.ts'
import type { CallFormProps } from './call-forms.tsx'

/** The new party in a transfer that is talked about first. */
export interface Consulting {
  phoneNumber: string
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

/** One of the account's numbers. Draws nothing for a user who may not see them. */
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
