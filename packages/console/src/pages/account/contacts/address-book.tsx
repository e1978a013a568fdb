import { useMemo, useState } from 'react'
import { api } from '#api/client.ts'
import { useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { List } from '#parts/list/list.tsx'
import { useBulk } from '#parts/list/use-bulk.ts'
import { useListState } from '#parts/list/use-list-state.ts'
import { useCursorPages } from '#parts/list/use-pages.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { usePrivacy, type Privacy } from '#lazy-parts/privacy/privacy-section.tsx'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { ContactForm, type Contact } from './contact-form.tsx'
import { text } from './text.ts'
import { Anchor, Stack, Text } from '@mantine/core'
import type { Column } from '#parts/list/columns.ts'
import { CallableNumbers } from '#parts/phone-number.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'

/** Own and shared contacts, searched by the service. */
export const AddressBook = ({ mayChange }: { mayChange: boolean }) => {
  const say = useText(text)
  const query = useContactsQuery()
  const pages = useCursorPages<Contact>('listContacts', query, (page) => api.listContacts({ ...query, ...page }))
  const [edited, setEdited] = useState<Contact>()
  const privacy = usePrivacy()
  const actionsOf = useRowActions(setEdited, privacy)
  const removal = useBulkRemoval()
  return (
    <>
      <List
        label={say.own}
        pages={pages}
        columns={useContactColumns()}
        rowKey={({ id }) => id}
        search={say.search}
        {...(mayChange && { rowActions: actionsOf, onOpen: setEdited, bulk: [{ label: say.deleteMany, danger: true, run: removal }] })}
        empty={
          <EmptyState icon="book" title={say.empty}>
            {say.emptyBody}
          </EmptyState>
        }
      />
      {edited && <ContactForm contact={edited} onClose={() => setEdited(undefined)} />}
      {privacy.dialog}
    </>
  )
}

const useContactsQuery = () => {
  const { search, sort } = useListState()
  return useMemo(
    () => ({
      // The service needs at least two characters.
      ...(search.trim().length > 1 && { search: search.trim() }),
      ...(sort === '-name' && { sort: '-name' as const }),
    }),
    [search, sort],
  )
}

const useBulkRemoval = () => {
  const say = useText(text)
  const confirm = useConfirm()
  const doAll = useBulk(['listContacts'])
  return async (contacts: readonly Contact[]): Promise<void> => {
    if (await confirm({ title: say.deleteManyTitle(contacts.length), body: say.deleteBody, confirm: say.deleteMany }))
      await doAll(contacts, ({ id: contactId }) => api.deleteContact({ contactId }))
  }
}

const useRowActions = (onEdit: (contact: Contact) => void, privacy: Privacy) => {
  const say = useText(text)
  const account = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const remove = useWrite('deleteContact', { refreshes: ['listContacts'], onDone: () => toast.done(account.deleted) })
  const askRemove = async ({ id, name }: Contact): Promise<void> => {
    const question = { title: say.deleteTitle(name), body: say.deleteBody, confirm: say.deleteConfirm }
    if (await confirm(question)) remove.mutate([{ contactId: id }], { onError: (error) => toast.failed(error) })
  }
  return (contact: Contact) => (
    <RowMenu
      label={account.actionsFor(contact.name)}
      actions={[
        { label: account.edit, icon: 'edit', onClick: () => onEdit(contact) },
        { label: account.remove, icon: 'trash', danger: true, onClick: () => void askRemove(contact) },
        ...privacy.actionsFor({ subject: { type: 'CONTACT', id: contact.id }, name: contact.name }),
      ]}
    />
  )
}

const useContactColumns = (): Column<Contact>[] => {
  const say = useText(text)
  return [
    {
      key: 'name',
      header: say.name,
      sortable: true,
      value: ({ name }) => name,
      cell: ({ name }) => (
        <Text span inherit fw={550}>
          {name}
        </Text>
      ),
    },
    {
      key: 'numbers',
      header: say.numbers,
      value: ({ numbers }) => numbers.join(', '),
      cell: ({ id, name, numbers }) => numbers.length > 0 && <CallableNumbers numbers={numbers} of={{ name, contactId: id }} />,
    },
    {
      key: 'emails',
      header: say.emails,
      value: ({ emails }) => emails.join(', '),
      cell: ({ emails }) =>
        emails.length > 0 && (
          <Stack gap={2}>
            {emails.map((email) => (
              <Anchor key={email} href={mailTo(email)} inherit>
                {email}
              </Anchor>
            ))}
          </Stack>
        ),
    },
    {
      key: 'shared',
      header: say.seenBy,
      value: ({ shared }) => (shared ? say.everybody : say.private),
      cell: ({ shared }) => <StatusBadge tone={shared ? 'good' : 'quiet'}>{shared ? say.everybody : say.private}</StatusBadge>,
    },
  ]
}

/** Escapes the typed text, so that it is only the recipient of the mail. */
const mailTo = (email: string): string => `mailto:${encodeURIComponent(email).replaceAll('%40', '@')}`
