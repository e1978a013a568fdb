import { useState } from 'react'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { Section } from '#parts/page/section.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { text } from './text.ts'

type Invitation = OutputOf<'listInvitations'>['items'][number]

const refreshes = ['listInvitations'] as const

/** Pending invitations. Empty if there are none. */
export const Invitations = () => {
  const say = useText(text)
  const invitations = useRead('listInvitations')
  const columns = useColumns()
  const { actionsOf, modal } = useRowActions()
  const { items = [] } = invitations.data ?? {}
  return (
    <>
      {items.length > 0 && (
        <Section title={say.invitations} flush>
          <List
            rows={items}
            name="invited"
            label={say.invitations}
            columns={columns}
            rowKey={({ id }) => id}
            rowActions={actionsOf}
            empty={null}
          />
        </Section>
      )}
      {modal}
    </>
  )
}

const useColumns = (): Column<Invitation>[] => {
  const say = useText(text)
  return [
    { key: 'email', header: say.email, cell: ({ email }) => email, breaks: true },
    { key: 'role', header: say.role, cell: ({ role }) => say.roles[role].name },
    {
      key: 'createdAt',
      header: say.invitedAt,
      value: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Time at={createdAt} relative />,
    },
    { key: 'expiresAt', header: say.expires, value: ({ expiresAt }) => expiresAt, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      key: 'state',
      header: say.state,
      value: ({ expired }) => (expired ? say.expired : say.waiting),
      cell: ({ expired }) => <StatusBadge tone={expired ? 'warning' : 'busy'}>{expired ? say.expired : say.waiting}</StatusBadge>,
    },
  ]
}

const useRowActions = () => {
  const say = useText(text)
  const { actionsFor } = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const [link, setLink] = useState<string>()
  const onError = (error: unknown): void => toast.failed(error)
  const withdraw = useWrite('deleteInvitation', { refreshes, onDone: () => toast.done(say.withdrawn) })
  const resend = useWrite('resendInvitation', {
    refreshes,
    onDone: (sent) => (sent.link === undefined ? toast.done(say.invitedDone) : setLink(sent.link)),
  })
  const ask = async ({ id, email }: Invitation): Promise<void> => {
    if (await confirm({ title: say.withdrawTitle(email), body: say.withdrawBody, confirm: say.withdraw }))
      withdraw.mutate([{ invitationId: id }], { onError })
  }
  const actionsOf = (invitation: Invitation) => (
    <RowMenu
      label={actionsFor(invitation.email)}
      actions={[
        { label: say.resend, icon: 'mail', onClick: () => resend.mutate([{ invitationId: invitation.id }], { onError }) },
        { label: say.withdraw, icon: 'trash', danger: true, onClick: () => void ask(invitation) },
      ]}
    />
  )
  const secrets = link === undefined ? undefined : [{ label: say.link, value: link }]
  return { actionsOf, modal: <SecretModal title={say.linkTitle} secrets={secrets} onClose={() => setLink(undefined)} /> }
}
