import { Button, Group, PasswordInput, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { usePrivacy } from '#lazy-parts/privacy/privacy-section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text as sharedText } from '../parts/text.ts'
import { text } from './text.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'

type User = OutputOf<'listAccountUsers'>['items'][number]

const nameOf = ({ firstname, lastname }: User): string => `${firstname} ${lastname}`

export const AccountUsers = ({ accountId }: { accountId: string }) => {
  const say = useText(text)
  const users = useRead('listAccountUsers', { accountId })
  const [adding, setAdding] = useState(false)
  const columns: Column<User>[] = [
    { key: 'name', header: say.name, cell: nameOf },
    { key: 'email', header: say.email, cell: ({ email }) => email },
    { key: 'role', header: say.role, cell: ({ admin }) => (admin ? say.isAdmin : say.isUser) },
  ]
  return (
    <Section
      title={say.users}
      flush
      actions={
        <Button size="xs" variant="default" leftSection={<Icon name="plus" size={14} />} onClick={() => setAdding(true)}>
          {say.addUser}
        </Button>
      }
    >
      <List
        name="users"
        query={users}
        label={say.users}
        columns={columns}
        rowKey={({ id }) => id}
        rowActions={(user) => <UserMenu user={user} />}
        empty={<EmptyState icon="user" title={say.noUser} />}
      />
      {adding && <AddUser accountId={accountId} onClose={() => setAdding(false)} />}
    </Section>
  )
}

const UserMenu = ({ user }: { user: User }) => {
  const say = useText(text)
  const { actionsFor, saved } = useText(sharedText)
  const confirm = useConfirm()
  const toast = useToast()
  const [settingPassword, setSettingPassword] = useState(false)
  const privacy = usePrivacy()
  const { accountId, id: userId, admin } = user
  const refreshes = ['listAccountUsers'] as const
  const update = useWrite('updateUser', { refreshes, onDone: () => toast.done(saved) })
  const disable = useWrite('disableUser', { refreshes, onDone: () => toast.done(say.disabled) })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.disableTitle(nameOf(user)), body: say.disableBody, confirm: say.disable }))
      disable.mutate([{ accountId, userId }], { onError: toast.failed })
  }
  const toggle = (): void => update.mutate([{ accountId, userId }, { admin: !admin }], { onError: toast.failed })
  return (
    <>
      <RowMenu
        label={actionsFor(nameOf(user))}
        actions={[
          { label: admin ? say.makeUser : say.makeAdmin, icon: 'shield', onClick: toggle },
          { label: say.setPassword, icon: 'key', onClick: () => setSettingPassword(true) },
          { label: say.disable, icon: 'trash', onClick: () => void ask(), danger: true },
          ...privacy.actionsFor({ subject: { type: 'USER', id: userId }, name: nameOf(user), accountId }),
        ]}
      />
      {privacy.dialog}
      {settingPassword && <PasswordForm {...{ accountId, userId }} name={nameOf(user)} onClose={() => setSettingPassword(false)} />}
    </>
  )
}

const AddUser = ({ accountId, onClose }: { accountId: string; onClose: () => void }) => {
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

const PasswordForm = ({ accountId, userId, name, onClose }: PasswordFormProps) => {
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
