import { randomUUID } from 'node:crypto'
import type { Contact as ContactElement, contactOperations, InternalContact } from '@offhook/contract/v1/contacts.ts'
import type { Static } from 'typebox'
import { changeContact, createContact, deleteContact } from '#core/account/contacts/change-contact.ts'
import type { Colleague, ColleagueNumber, Contact } from '#core/kernel/ports/store/account/contacts.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerParts } from '../handler/handler-parts.ts'

export const contactHandlers = ({ store, clock }: Pick<HandlerParts, 'store' | 'clock'>): Handlers<typeof contactOperations> => ({
  listContacts: async ({ caller }) => ({
    items: (await store.read.contacts.listVisible(caller.accountId, caller.userId)).map(toContactElement),
  }),

  createContact: async ({ caller, body }) =>
    toContactElement(await store.write((tables) => createContact(tables, clock, caller, randomUUID(), body))),

  changeContact: async ({ caller, params, body }) => store.write((tables) => changeContact(tables, caller, params.contactId, body)),

  deleteContact: async ({ caller, params }) => store.write((tables) => deleteContact(tables, caller, params.contactId)),

  listInternalContacts: async ({ caller }) => ({
    items: (await store.read.contacts.colleagues(caller.accountId)).map(toInternalContact),
  }),
})

const toContactElement = ({ id, name, emails, numbers, shared }: Contact): Static<typeof ContactElement> => ({
  id,
  name,
  emails,
  numbers,
  shared,
})

const toInternalContact = ({ id, name, email, numbers }: Colleague): Static<typeof InternalContact> => {
  const those = (kind: (number: ColleagueNumber) => boolean) => numbers.filter(kind).map(({ number }) => number)
  return {
    id,
    name,
    emails: email === undefined ? [] : [email],
    mobile: those(({ type, fax }) => type === 'MOBILE' && !fax),
    landline: those(({ type, fax }) => (type === 'LANDLINE' || type === 'INTERNATIONAL') && !fax),
    fax: those(({ type, fax }) => type !== 'QUICKDIAL' && fax),
    directdial: those(({ type }) => type === 'QUICKDIAL'),
  }
}
