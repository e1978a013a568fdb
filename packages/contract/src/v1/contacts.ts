import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, Output, RequiredText } from '../values.ts'

const Texts = Type.Array(Type.String())

export const Contact = Output({
  id: Type.String(),
  name: Type.String(),
  emails: Texts,
  numbers: Texts,
  shared: Type.Boolean({ description: 'Seen by every user of the account' }),
})

export const InternalContact = Output({
  id: Type.String({ description: 'Of the user or group' }),
  name: Type.String(),
  emails: Texts,
  mobile: Texts,
  landline: Texts,
  fax: Texts,
  directdial: Texts,
})

const ContactEntry = Input({
  name: RequiredText(200),
  emails: Type.Optional(Type.Array(RequiredText(254), { maxItems: 20 })),
  numbers: Type.Optional(Type.Array(RequiredText(40), { maxItems: 20 })),
  shared: Type.Optional(Type.Boolean()),
})

const changing = { auth: 'user', bearer: true, scopes: ['contacts:write'], permission: 'CAN_CHANGE_CONTACTS' } as const
const reading = { auth: 'user', bearer: true, scopes: ['contacts:read'], permission: 'CAN_GET_CONTACTS', status: 200 } as const

export const contactOperations = {
  listContacts: operation({
    id: 'listContacts',
    method: 'GET',
    path: '/v1/contacts',
    summary: 'The own contacts and those that others share',
    ...reading,
    reply: Items(Contact),
  }),
  createContact: operation({
    id: 'createContact',
    method: 'POST',
    path: '/v1/contacts',
    summary: 'Add a contact',
    ...changing,
    body: ContactEntry,
    status: 201,
    reply: Contact,
    errors: ['contact_limit_reached'],
  }),
  changeContact: operation({
    id: 'changeContact',
    method: 'PUT',
    path: '/v1/contacts/{contactId}',
    summary: 'Replace a contact; what is not given becomes empty',
    ...changing,
    body: ContactEntry,
    status: 204,
    errors: ['contact_not_found'],
  }),
  deleteContact: operation({
    id: 'deleteContact',
    method: 'DELETE',
    path: '/v1/contacts/{contactId}',
    summary: 'Delete a contact',
    ...changing,
    status: 204,
    errors: ['contact_not_found'],
  }),
  listInternalContacts: operation({
    id: 'listInternalContacts',
    method: 'GET',
    path: '/v1/contacts/internal',
    summary: 'Users and groups of the account with the numbers that lead to them',
    ...reading,
    reply: Items(InternalContact),
  }),
}
