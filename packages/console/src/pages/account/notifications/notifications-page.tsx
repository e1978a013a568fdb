import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { PhoneNumber } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { useWhose } from '#lazy-parts/people.ts'
import { text as accountText } from '../parts/text.ts'
import { UserPicker } from '#lazy-parts/user-picker.tsx'
import { NotificationForm } from './notification-form.tsx'
import { text } from './text.ts'
import { usePlaceName } from './use-places.ts'

type Notification = OutputOf<'listNotifications'>['items'][number]

export const NotificationsPage = () => {
  const say = useText(text)
  const may = useMay()
  const whose = useWhose()
  const [adding, setAdding] = useState(false)
  const { userId } = whose
  const mayChange = may('CAN_CHANGE_NOTIFICATIONS')
  const actions = (
    <>
      <UserPicker whose={whose} />
      {mayChange && <AddButton onClick={() => setAdding(true)}>{say.add}</AddButton>}
    </>
  )
  return (
    <Page title={say.title} description={say.lead} actions={actions}>
      {userId !== undefined && (
        <Section flush>
          <Notifications userId={userId} mayChange={mayChange} />
        </Section>
      )}
      {adding && userId !== undefined && <NotificationForm userId={userId} onClose={() => setAdding(false)} />}
    </Page>
  )
}

const Notifications = ({ userId, mayChange }: { userId: string; mayChange: boolean }) => {
  const say = useText(text)
  const notifications = useRead('listNotifications', { userId })
  const columns = useColumns(userId)
  const actionsOf = useRowActions(userId)
  return (
    <List
      query={notifications}
      label={say.title}
      columns={columns}
      rowKey={({ id }) => id}
      {...(mayChange && { rowActions: actionsOf })}
      empty={
        <EmptyState icon="bell" title={say.empty}>
          {say.emptyHint}
        </EmptyState>
      }
    />
  )
}

const useColumns = (userId: string): Column<Notification>[] => {
  const say = useText(text)
  const nameOf = usePlaceName(userId)
  return [
    { key: 'type', header: say.about, cell: ({ type, direction }) => say.told[type](say.directions[direction]) },
    { key: 'endpoint', header: say.endpoint, cell: ({ endpointId }) => nameOf(endpointId) },
    { key: 'via', header: say.via, cell: ({ via }) => say.ways[via] },
    {
      key: 'recipient',
      header: say.recipient,
      value: ({ recipient }) => recipient,
      cell: ({ via, recipient }) => (via === 'SMS' ? <PhoneNumber number={recipient} /> : recipient),
    },
  ]
}

const useRowActions = (userId: string) => {
  const say = useText(text)
  const account = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const remove = useWrite('deleteNotification', { refreshes: ['listNotifications'], onDone: () => toast.done(account.deleted) })
  const ask = async ({ id: notificationId, recipient }: Notification): Promise<void> => {
    if (await confirm({ title: say.deleteTitle, body: say.deleteBody(recipient), confirm: say.deleteConfirm }))
      remove.mutate([{ userId, notificationId }], { onError: (error) => toast.failed(error) })
  }
  return (notification: Notification) => (
    <RowMenu
      label={account.actionsFor(`${say.types[notification.type]}, ${notification.recipient}`)}
      actions={[{ label: account.remove, icon: 'trash', danger: true, onClick: () => void ask(notification) }]}
    />
  )
}
