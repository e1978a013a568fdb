import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { contactOperations, ContactsQuery, InternalContact } from '@offhook/contract/v1/contacts.ts'
import type { Static } from 'typebox'
import { changeContact, createContact, deleteContact } from '#core/account/contacts/change-contact.ts'
import { contactElement } from '#core/account/contacts/contact-element.ts'
import { readContactCursor, writeContactCursor } from '#core/account/contacts/contact-cursor.ts'
import { mergeContacts } from '#core/account/contacts/exchange/duplicates.ts'
import { importContacts } from '#core/account/contacts/exchange/import-contacts.ts'
import { readSearch } from '#core/account/contacts/typed-search.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { accountCountryOf } from '#core/account/lines/destination.ts'
import { readLong, readSlices } from '#core/account/long-reads/long-reads.ts'
import type { Colleague, ColleagueNumber } from '#core/kernel/ports/store/account.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { PiecesReply } from '../reply/send-json.ts'

type Parts = Pick<HandlerDeps, 'store' | 'clock'>

export const contactHandlers = (parts: Parts): Handlers<typeof contactOperations> => {
  const { store, clock } = parts
  const importing = { store, clock, newId: randomUUID }
  return {
    listContacts: ({ caller, query, breathe }) => listContacts(parts, caller, query, breathe),

    createContact: async ({ caller, body }) =>
      contactElement(await store.write((tables) => createContact(tables, clock, caller, randomUUID(), body))),

    getContact: async ({ caller: { accountId, userId }, params: { contactId } }) => {
      const contact = await store.read.contacts.findVisible(accountId, userId, contactId)
      if (!contact) throw new Problem('contact_not_found')
      return contactElement(contact)
    },

    changeContact: async ({ caller, params, body }) => store.write((tables) => changeContact(tables, caller, params.contactId, body)),

    deleteContact: async ({ caller, params }) => store.write((tables) => deleteContact(tables, caller, params.contactId)),

    listInternalContacts: async ({ caller }) => ({
      items: (await store.read.contacts.colleagues(caller.accountId)).map(toInternalContact),
    }),

    importContacts: ({ caller, body, breathe }) => importContacts({ ...importing, breathe }, caller, body),

    importContactsFromCsv: ({ caller, body, breathe }) => importContacts({ ...importing, breathe }, caller, { ...body, format: 'CSV' }),

    exportContacts: async ({ caller: { accountId, userId }, query: { format }, setHeader, breathe }) => {
      const { type, extension, read } = exports[format]
      setHeader('content-type', `${type}; charset=utf-8`)
      setHeader('content-disposition', `attachment; filename="contacts.${extension}"`)
      return new PiecesReply(readSlices(store, read, { accountId, userId }, breathe))
    },

    listDuplicateContacts: ({ caller: { accountId, userId, admin } }) => readLong(store, 'duplicatesOf', { accountId, userId, admin }),

    mergeContacts: async ({ caller, body }) => contactElement(await store.write((tables) => mergeContacts(tables, caller, body.ids))),
  }
}

const exports = {
  vcard: { type: 'text/vcard', extension: 'vcf', read: 'contactVcards' },
  csv: { type: 'text/csv', extension: 'csv', read: 'contactTable' },
} as const

const defaultPage = 500

/** All contacts without a limit, as existing clients expect. */
const listContacts = async (
  { store }: Parts,
  { accountId, userId }: UserCaller,
  query: Static<typeof ContactsQuery>,
  breathe: () => Promise<void>,
) => {
  const { cursor, offset, limit = offset === undefined ? undefined : defaultPage } = query
  if (cursor !== undefined && offset !== undefined) throw Problem.field('offset', 'cannot be combined with cursor')
  const { contacts } = store.read
  const search = query.search === undefined ? undefined : readSearch(query.search, (await accountCountryOf(store.read, accountId)).country)
  const request = { descending: query.sort === '-name', ...(cursor !== undefined && { after: readContactCursor(cursor) }) }
  const input = { accountId, userId, ...request }
  if (limit === undefined) return new PiecesReply(readSlices(store, 'contactsJson', { ...input, ...(search && { search }) }, breathe))
  const page = { limit, ...(offset !== undefined && { offset }) }
  if (search) return readLong(store, 'contactPage', { ...input, search, ...page })
  const [found, totalCount] = await Promise.all([
    contacts.listVisible(accountId, userId, { ...request, ...page, limit: limit + 1 }),
    contacts.countVisible(accountId, userId),
  ])
  const last = found.length > limit ? found[limit - 1] : undefined
  return { items: found.slice(0, limit).map(contactElement), totalCount, ...(last && { nextCursor: writeContactCursor(last) }) }
}

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
