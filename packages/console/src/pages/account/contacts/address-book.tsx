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
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { ContactForm, type Contact } from './contact-form.tsx'
import { text } from './text.ts'
import { useContactColumns } from './use-contact-columns.tsx'

/** The own contacts and those that others share, searched by the service. */
export const AddressBook = ({ mayChange }: { mayChange: boolean }) => {
  const say = useText(text)
  const query = useContactsQuery()
  const pages = useCursorPages<Contact>('listContacts', query, (page) => api.listContacts({ ...query, ...page }))
  const [edited, setEdited] = useState<Contact>()
  const actionsOf = useRowActions(setEdited)
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
    </>
  )
}

const useContactsQuery = () => {
  const { search, sort } = useListState()
  return useMemo(
    () => ({
      // The service looks for nothing shorter.
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

const useRowActions = (onEdit: (contact: Contact) => void) => {
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
      ]}
    />
  )
}
