import { Button } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text as groupText } from '#pages/account/groups/text.ts'
import { text as sharedText } from '../parts/text.ts'
import { text } from './telephone-text.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { freshGroup, GroupFields, type GroupValues } from '#pages/account/groups/group-fields.tsx'
import { fullName } from '#lazy-parts/people.ts'

/** Groups of the account. */
export const AccountGroups = ({ accountId }: { accountId: string }) => {
  const say = useText(groupText)
  const groups = useRead('listAccountGroups', { accountId })
  const [open, setOpen] = useState<PhoneGroup | 'new'>()
  const columns = useColumns(accountId)
  return (
    <Section
      title={say.title}
      flush
      actions={
        <Button size="xs" variant="default" leftSection={<Icon name="plus" size={14} />} onClick={() => setOpen('new')}>
          {say.add}
        </Button>
      }
    >
      <List
        name="groups"
        query={groups}
        label={say.title}
        columns={columns}
        rowKey={({ id }) => id}
        rowActions={(group) => <GroupMenu accountId={accountId} group={group} onEdit={() => setOpen(group)} />}
        empty={
          <EmptyState icon="group" title={say.empty}>
            {say.emptyAdmin}
          </EmptyState>
        }
      />
      {open && <GroupForm accountId={accountId} {...(open !== 'new' && { group: open })} onClose={() => setOpen(undefined)} />}
    </Section>
  )
}

const useColumns = (accountId: string): Column<PhoneGroup>[] => {
  const say = useText(groupText)
  const userName = useUserName(accountId)
  return [
    { key: 'alias', header: say.name, cell: ({ alias }) => alias },
    { key: 'members', header: say.members, cell: ({ members }) => members.map(userName).join(', ') || say.none },
    { key: 'strategy', header: say.strategy, cell: ({ strategy }) => say.strategies[strategy], wideOnly: true },
    { key: 'seconds', header: say.ringSeconds, align: 'right', cell: ({ ringSeconds }) => ringSeconds, wideOnly: true },
  ]
}

const GroupMenu = ({ accountId, group: { id: groupId, alias }, onEdit }: { accountId: string; group: PhoneGroup; onEdit: () => void }) => {
  const say = useText(groupText)
  const { groupRemoved } = useText(text)
  const shared = useText(sharedText)
  const confirm = useConfirm()
  const toast = useToast()
  const remove = useWrite('deleteAccountGroup', { refreshes: ['listAccountGroups'], onDone: () => toast.done(groupRemoved) })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.deleteTitle(alias), body: say.deleteBody, confirm: say.delete }))
      remove.mutate([{ accountId, groupId }], { onError: toast.failed })
  }
  return (
    <RowMenu
      label={shared.actionsFor(alias)}
      actions={[
        { label: shared.edit, icon: 'edit', onClick: onEdit },
        { label: shared.remove, icon: 'trash', onClick: () => void ask(), danger: true },
      ]}
    />
  )
}

type PhoneGroup = OutputOf<'listAccountGroups'>['items'][number]

const GroupForm = ({ accountId, group, onClose }: { accountId: string; group?: PhoneGroup; onClose: () => void }) => {
  const say = useText(groupText)
  const { saved } = useText(sharedText)
  const toast = useToast()
  const users = useRead('listAccountUsers', { accountId })
  const done = (words: string) => () => {
    toast.done(words)
    onClose()
  }
  const refreshes = ['listAccountGroups'] as const
  const create = useWrite('createAccountGroup', { refreshes, onDone: done(say.created) })
  const change = useWrite('changeAccountGroup', { refreshes, onDone: done(saved) })
  const { error, isPending } = group ? change : create
  const form = useForm<GroupValues>(group ? valuesOf(group) : freshGroup, error)
  const submit = (): void => {
    const body = { ...form.values, ringSeconds: Number(form.values.ringSeconds) }
    if (group) change.mutate([{ accountId, groupId: group.id }, body])
    else create.mutate([{}, { accountId, ...body }])
  }
  return (
    <FormModal
      opened
      title={group?.alias ?? say.addTitle}
      {...(!group && { submit: say.add })}
      onClose={onClose}
      onSubmit={submit}
      pending={isPending}
      error={error}
    >
      <GroupFields form={form} users={users.data?.items ?? []} error={error} />
    </FormModal>
  )
}

const valuesOf = ({ alias, strategy, ringSeconds, members, faxline }: PhoneGroup): GroupValues => ({
  alias,
  strategy,
  ringSeconds,
  members,
  faxline,
})

/** Name of an account's user; the id until known. */
export const useUserName = (accountId: string): ((userId: string) => string) => {
  const { data } = useRead('listAccountUsers', { accountId })
  return (userId) => {
    const user = data?.items.find(({ id }) => id === userId)
    return user ? fullName(user) : userId
  }
}
