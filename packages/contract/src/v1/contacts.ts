import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, Offset, OneOf, Output, RequiredText, TotalCount } from '../values.ts'

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

export const ContactsQuery = Input({
  search: Type.Optional(Type.String({ maxLength: 100, description: 'Part of a name, an e-mail address or a number' })),
  sort: Type.Optional(OneOf(['name', '-name'])),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, description: 'All at once unless told' })),
  offset: Offset,
  cursor: Type.Optional(Type.String({ maxLength: 1500, description: 'nextCursor of the page before' })),
})

const ContactPage = Output({
  items: Type.Array(Contact),
  totalCount: TotalCount,
  nextCursor: Type.Optional(Type.String({ description: 'cursor of the next page; absent on the last one' })),
})

export const contactColumns = ['NAME', 'FIRSTNAME', 'LASTNAME', 'COMPANY', 'NUMBER', 'EMAIL', 'IGNORE'] as const
export type ContactColumn = (typeof contactColumns)[number]

const imported = {
  base64Content: Type.String({ minLength: 1, maxLength: 7_340_032, description: 'Base64 of at most 5 MB' }),
  columns: Type.Optional(
    Type.Array(OneOf(contactColumns), { maxItems: 200, description: 'CSV: what each column is; guessed by the first row unless told' }),
  ),
  shared: Type.Optional(Type.Boolean()),
  duplicates: Type.Optional(
    OneOf(['SKIP', 'MERGE', 'REPLACE'], {
      description:
        'What happens to a contact with the same name or a number in common that is there already: nothing, it gets what is new (unless told), or it is replaced',
    }),
  ),
  dryRun: Type.Optional(Type.Boolean({ description: 'Only tells what would happen' })),
}

export const ContactImport = Input({ format: OneOf(['VCARD', 'CSV']), ...imported })

export const ImportOutcome = Output({
  created: Type.Integer(),
  merged: Type.Integer({ description: 'Contacts that were there and are different now' }),
  skipped: Type.Integer(),
  problems: Type.Array(Output({ line: Type.Integer(), message: Type.String() }), { description: 'The first hundred' }),
  preview: Type.Optional(
    Type.Array(Output({ name: Type.String(), numbers: Texts, emails: Texts, action: OneOf(['CREATED', 'MERGED', 'SKIPPED']) }), {
      description: 'The first twenty of the file',
    }),
  ),
})

const changing = { auth: 'user', bearer: true, scopes: ['contacts:write'], permission: 'CAN_CHANGE_CONTACTS' } as const
const reading = { auth: 'user', bearer: true, scopes: ['contacts:read'], permission: 'CAN_GET_CONTACTS', status: 200 } as const

export const contactOperations = {
  listContacts: operation({
    id: 'listContacts',
    heavy: true,
    method: 'GET',
    path: '/v1/contacts',
    summary: 'The own contacts and those that others share',
    ...reading,
    query: ContactsQuery,
    reply: ContactPage,
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
  getContact: operation({
    id: 'getContact',
    method: 'GET',
    path: '/v1/contacts/{contactId}',
    summary: 'An own contact, or one that others share',
    ...reading,
    reply: Contact,
    errors: ['contact_not_found'],
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
    heavy: true,
    method: 'GET',
    path: '/v1/contacts/internal',
    summary: 'Users and groups of the account with the numbers that lead to them',
    ...reading,
    reply: Items(InternalContact),
  }),
  importContacts: operation({
    id: 'importContacts',
    heavy: true,
    method: 'POST',
    path: '/v1/contacts/import',
    summary: 'Take over contacts from a file: vCard 2.1 to 4.0, or CSV as Google, Outlook and others write it',
    ...changing,
    body: ContactImport,
    bodyLimit: 7 * 1024 * 1024,
    status: 200,
    reply: ImportOutcome,
    errors: ['contact_limit_reached', 'file_unreadable'],
  }),
  importContactsFromCsv: operation({
    id: 'importContactsFromCsv',
    heavy: true,
    method: 'POST',
    path: '/v1/contacts/import/csv',
    summary: 'The same for CSV files alone, where the format need not be told',
    ...changing,
    body: Input({ format: Type.Optional(OneOf(['CSV'])), ...imported }),
    bodyLimit: 7 * 1024 * 1024,
    status: 200,
    reply: ImportOutcome,
    errors: ['contact_limit_reached', 'file_unreadable'],
  }),
  exportContacts: operation({
    id: 'exportContacts',
    heavy: true,
    method: 'GET',
    path: '/v1/contacts/export',
    summary: 'All contacts that the caller sees, as vCard 4.0 or CSV',
    ...reading,
    query: Input({ format: OneOf(['vcard', 'csv']) }),
    text: true,
    textTypes: ['text/vcard', 'text/csv'],
  }),
  listDuplicateContacts: operation({
    id: 'listDuplicateContacts',
    heavy: true,
    method: 'GET',
    path: '/v1/contacts/duplicates',
    summary: 'Contacts with the same name or a number in common, among those that the caller may change',
    ...reading,
    reply: Items(Output({ contacts: Type.Array(Contact) })),
  }),
  mergeContacts: operation({
    id: 'mergeContacts',
    method: 'POST',
    path: '/v1/contacts/merge',
    summary: 'Make one contact of several: the first one stays, with the numbers and addresses of all',
    ...changing,
    body: Input({ ids: Type.Array(RequiredText(100), { minItems: 2, maxItems: 20 }) }),
    status: 200,
    reply: Contact,
    errors: ['contact_not_found'],
  }),
}
