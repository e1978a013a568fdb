import { Group, PasswordInput, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export const AddUser = ({ accountId, onClose }: { accountId: string; onClose: () => void }) => {
  const say = useText(text)
  const [password, setPassword] = useState<string>()
  const create = useWrite('createUser', {
    refreshes: ['listAccountUsers'],
    onDone: ({ password: made }) => (made === undefined ? onClose() : setPassword(made)),
  })
  const form = useForm({ email: '', firstname: '', lastname: '', admin: false, password: '' }, create.error)
  const submit = (): void => {
    const { password: given, ...rest } = form.values
    create.mutate([{}, { accountId, ...rest, ...(given !== '' && { password: given }) }])
  }
  if (password !== undefined)
    return <SecretModal title={form.values.email} secrets={[{ label: say.password, value: password }]} onClose={onClose} />
  return (
    <FormModal
      opened
      title={say.addUser}
      onClose={onClose}
      onSubmit={submit}
      submit={say.addUser}
      pending={create.isPending}
      error={create.error}
    >
      <Group grow align="flex-start">
        <TextInput label={say.firstname} required data-autofocus {...form.text('firstname')} />
        <TextInput label={say.lastname} required {...form.text('lastname')} />
      </Group>
      <TextInput label={say.email} required type="email" {...form.text('email')} />
      <TextInput label={say.password} description={say.passwordHint} autoComplete="new-password" {...form.text('password')} />
      <Switch label={say.isAdmin} {...form.tick('admin')} />
    </FormModal>
  )
}

interface PasswordFormProps {
  accountId: string
  userId: string
  name: string
  onClose: () => void
}

export const PasswordForm = ({ accountId, userId, name, onClose }: PasswordFormProps) => {
  const say = useText(text)
  const toast = useToast()
  const write = useWrite('setUserPassword', {
    onDone: () => {
      toast.done(say.passwordSet)
      onClose()
    },
  })
  const form = useForm({ password: '' }, write.error)
  return (
    <FormModal
      opened
      title={`${say.setPassword}: ${name}`}
      onClose={onClose}
      onSubmit={() => write.mutate([{ accountId, userId }, form.values])}
      pending={write.isPending}
      error={write.error}
    >
      <PasswordInput label={say.password} required autoComplete="new-password" {...form.text('password')} />
    </FormModal>
  )
}
