import { TextInput } from '@mantine/core'
import { useLocation } from 'wouter'
import { useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export const NewLine = ({ userId, onClose }: { userId: string; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const [, go] = useLocation()
  const create = useWrite('createPhoneline', {
    refreshes: ['listPhonelines'],
    onDone: ({ id }) => {
      toast.done(say.created)
      go(`/lines/${userId}/${id}`)
    },
  })
  const form = useForm({ alias: '' }, create.error)
  return (
    <FormModal
      opened
      title={say.addTitle}
      submit={say.add}
      onClose={onClose}
      onSubmit={() => create.mutate([{ userId }, { alias: form.values.alias }])}
      pending={create.isPending}
      error={create.error}
    >
      <TextInput label={say.name} placeholder={say.nameHint} required maxLength={100} data-autofocus {...form.text('alias')} />
    </FormModal>
  )
}
