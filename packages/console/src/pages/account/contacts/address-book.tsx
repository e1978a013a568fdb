import { useState } from 'react'
import { useRead, useWrite } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { ContactForm, type Contact } from './contact-form.tsx'
import { fits } from './fits.ts'
import { text } from './text.ts'
import { useContactColumns } from './use-contact-columns.tsx'

/** The own contacts and those that others share. */
export const AddressBook = ({ wanted, mayChange }: { wanted: string; mayChange: boolean }) => {
  const say = useText(text)
  const contacts = useRead('listContacts')
  const columns = useContactColumns()
  const [edited, setEdited] = useState<Contact>()
  const actionsOf = useRowActions(setEdited)
  const shown = (items: Contact[]): Contact[] =>
    items
      .filter(({ name, numbers, emails }) => fits(wanted, [name, ...numbers, ...emails]))
      .toSorted((a, b) => a.name.localeCompare(b.name))
  return (
    <Loaded query={contacts}>
      {({ items }) => (
        <>
          <List
            label={say.own}
            rows={shown(items)}
            columns={columns}
            rowKey={({ id }) => id}
            {...(mayChange && { rowActions: actionsOf })}
            empty={
              <EmptyState icon="book" title={items.length === 0 ? say.empty : say.noMatch}>
                {items.length === 0 ? say.emptyBody : undefined}
              </EmptyState>
            }
          />
          {edited && <ContactForm contact={edited} onClose={() => setEdited(undefined)} />}
        </>
      )}
    </Loaded>
  )
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
