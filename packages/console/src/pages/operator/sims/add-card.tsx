import { SimpleGrid, TextInput } from '@mantine/core'
import { useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { fieldProblem, useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { AccountSelect } from '../parts/account-select.tsx'
import { text } from './text.ts'

export const AddCard = ({ onClose }: { onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const add = useWrite('addSimCard', {
    refreshes: ['listSimCards'],
    onDone: () => {
      toast.done(say.added)
      onClose()
    },
  })
  const form = useForm({ iccid: '', imsi: '', puk1: '', puk2: '', accountId: '' }, add.error)
  const submit = (): void => {
    const { imsi, accountId, ...rest } = form.values
    add.mutate([{}, { ...rest, ...(imsi !== '' && { imsi }), ...(accountId !== '' && { accountId }) }])
  }
  return (
    <FormModal
      opened
      title={say.addCard}
      onClose={onClose}
      onSubmit={submit}
      submit={say.addCard}
      pending={add.isPending}
      error={add.error}
    >
      <TextInput label={say.iccid} description={say.iccidHint} required inputMode="numeric" data-autofocus {...form.text('iccid')} />
      <TextInput label={say.imsi} inputMode="numeric" {...form.text('imsi')} />
      <SimpleGrid cols={2}>
        <TextInput label={say.puk(1)} required inputMode="numeric" {...form.text('puk1')} />
        <TextInput label={say.puk(2)} required inputMode="numeric" {...form.text('puk2')} />
      </SimpleGrid>
      <AccountSelect
        optional
        label={say.handTo}
        value={form.values.accountId}
        onChange={(chosen) => form.set('accountId', chosen)}
        error={fieldProblem(add.error, 'accountId')}
      />
    </FormModal>
  )
}
