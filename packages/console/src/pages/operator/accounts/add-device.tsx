import { Select, TextInput } from '@mantine/core'
import { useRead, useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { fullName } from '#lazy-parts/people.ts'
import { text as phoneText } from '#pages/account/parts/text.ts'
import { text } from './telephone-text.ts'

const types = ['REGISTER', 'MOBILE', 'EXTERNAL'] as const

interface DeviceInput {
  userId: string
  type: (typeof types)[number]
  alias: string
  number: string
}

/** A device for one of the account's users. */
export const AddDevice = ({ accountId, onClose }: { accountId: string; onClose: () => void }) => {
  const say = useText(text)
  const { deviceTypes } = useText(phoneText)
  const toast = useToast()
  const users = useRead('listAccountUsers', { accountId }).data?.items ?? []
  const create = useWrite('createAccountDevice', {
    refreshes: ['listAccountDevices'],
    onDone: () => {
      toast.done(say.deviceAdded)
      onClose()
    },
  })
  const form = useForm<DeviceInput>({ userId: users[0]?.id ?? '', type: 'REGISTER', alias: '', number: '' }, create.error)
  const { userId, type, alias, number } = form.values
  const submit = (): void => create.mutate([{}, { accountId, userId, type, alias, ...(type === 'EXTERNAL' && { number }) }])
  return (
    <FormModal
      opened
      title={say.addDevice}
      onClose={onClose}
      onSubmit={submit}
      submit={say.addDevice}
      pending={create.isPending}
      error={create.error}
    >
      <TextInput label={say.name} required maxLength={100} data-autofocus {...form.text('alias')} />
      <Select
        label={say.user}
        description={say.userHint}
        required
        allowDeselect={false}
        searchable={users.length > 8}
        data={users.map((user) => ({ value: user.id, label: fullName(user) }))}
        {...form.value('userId')}
      />
      <Select
        label={say.type}
        allowDeselect={false}
        data={types.map((value) => ({ value, label: deviceTypes[value] }))}
        {...form.value('type')}
      />
      {type === 'EXTERNAL' && <TextInput label={say.externalNumber} type="tel" required maxLength={40} {...form.text('number')} />}
    </FormModal>
  )
}
