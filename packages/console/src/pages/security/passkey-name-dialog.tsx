import { TextInput } from '@mantine/core'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export const PasskeyNameDialog = ({ onClose, onName }: { onClose: () => void; onName: (name: string) => void }) => {
  const say = useText(text)
  const form = useForm({ name: '' })
  const { name } = form.values
  return (
    <FormModal
      opened
      title={say.passkeyAdd}
      submit={say.goOn}
      disabled={name.trim() === ''}
      onClose={onClose}
      onSubmit={() => onName(name)}
    >
      <TextInput label={say.passkeyName} description={say.passkeyNameHint} maxLength={100} data-autofocus {...form.text('name')} />
    </FormModal>
  )
}
