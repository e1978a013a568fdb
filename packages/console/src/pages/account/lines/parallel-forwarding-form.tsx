import { TextInput } from '@mantine/core'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { fieldProblem, useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { DestinationField, useDestination } from './destination.tsx'
import { text } from './forwarding-text.ts'
import type { LineId } from './line-id.ts'

export type ParallelForwarding = OutputOf<'listParallelForwardings'>['items'][number]

export const refreshes = ['listParallelForwardings'] as const

export const ParallelForwardingForm = ({
  line,
  one,
  onClose,
}: {
  line: LineId
  one: ParallelForwarding | undefined
  onClose: () => void
}) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const done = (): void => {
    toast.done(saved)
    onClose()
  }
  const create = useWrite('createParallelForwarding', { refreshes, onDone: done })
  const change = useWrite('changeParallelForwarding', { refreshes, onDone: done })
  const write = one ? change : create
  const form = useForm({ alias: one?.alias ?? '' }, write.error)
  const destination = useDestination(one?.destination ?? '')
  const submit = (): void => {
    const input = { alias: form.values.alias, destination: destination.value }
    if (one) change.mutate([{ ...line, parallelForwardingId: one.id }, input])
    else create.mutate([{ ...line }, { ...input, active: true }])
  }
  return (
    <FormModal
      opened
      title={one ? say.parallelEditTitle : say.parallelAddTitle}
      onClose={onClose}
      onSubmit={submit}
      pending={write.isPending}
      error={write.error}
    >
      <TextInput label={say.name} placeholder={say.nameHint} required maxLength={100} data-autofocus {...form.text('alias')} />
      <DestinationField of={destination} parallel error={fieldProblem(write.error, 'destination')} />
    </FormModal>
  )
}
