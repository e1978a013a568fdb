import { Select, TextInput } from '@mantine/core'
import { useRead, useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { fieldProblem, useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { AccountSelect } from '../parts/account-select.tsx'
import { text } from './text.ts'

export const AssignNumber = ({ accountId, onClose }: { accountId: string; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const assign = useWrite('assignNumber', {
    refreshes: ['listAllNumbers'],
    onDone: () => {
      toast.done(say.assigned)
      onClose()
    },
  })
  const form = useForm({ accountId, number: '', addressId: null as string | null }, assign.error)
  const { values } = form
  const addresses = useRead('listAccountAddresses', { accountId: values.accountId }, { when: values.accountId !== '' })
  const places = (addresses.data?.items ?? []).map(({ id, streetAddress, postalCode, locality }) => ({
    value: id,
    label: `${streetAddress}, ${postalCode} ${locality}`,
  }))
  const submit = (): void => {
    const { addressId, ...rest } = values
    assign.mutate([{}, { ...rest, ...(addressId !== null && { addressId }) }])
  }
  return (
    <FormModal
      opened
      title={say.assign}
      onClose={onClose}
      onSubmit={submit}
      submit={say.assign}
      pending={assign.isPending}
      error={assign.error}
    >
      <AccountSelect
        value={values.accountId}
        onChange={(chosen) => form.reset({ ...values, accountId: chosen, addressId: null })}
        error={fieldProblem(assign.error, 'accountId')}
      />
      <TextInput label={say.number} description={say.numberHint} required inputMode="tel" {...form.text('number')} />
      <Select
        label={say.address}
        description={say.addressHint}
        placeholder={say.noAddress}
        clearable
        data={places}
        {...form.value('addressId')}
      />
    </FormModal>
  )
}
