import { Button } from '@mantine/core'
import { useState } from 'react'
import { useRead, useWrite } from '#api/use-service.ts'
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
import { useUserName } from './use-user-name.ts'
import { type PhoneGroup, GroupForm } from './group-form.tsx'

/** People of the account who are called together. */
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
