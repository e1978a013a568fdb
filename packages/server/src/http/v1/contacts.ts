import { randomUUID } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import { Problem } from '@offhook/contract/problem.ts'
import type { Contact as ContactElement, contactOperations, ContactsQuery, InternalContact } from '@offhook/contract/v1/contacts.ts'
import type { Static } from 'typebox'
import { changeContact, createContact, deleteContact } from '#core/account/contacts/change-contact.ts'
import { writeContactCsv } from '#core/account/contacts/exchange/contact-csv.ts'
import { findDuplicates, mergeContacts } from '#core/account/contacts/exchange/duplicates.ts'
import { importContacts } from '#core/account/contacts/exchange/import-contacts.ts'
import { writeVcards } from '#core/account/contacts/exchange/vcard.ts'
import { readSearch } from '#core/account/contacts/typed-search.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { accountCountryOf } from '#core/account/lines/destination.ts'
import type { Colleague, ColleagueNumber, Contact, ContactCursor } from '#core/kernel/ports/store/account/contacts.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'

type Parts = Pick<HandlerDeps, 'store' | 'clock'>

export const contactHandlers = (parts: Parts): Handlers<typeof contactOperations> => {
  const { store, clock } = parts
  const importing = { store, clock, newId: randomUUID, breathe }
  return {
    listContacts: ({ caller, query }) => listContacts(parts, caller, query),

    createContact: async ({ caller, body }) =>
      toContactElement(await store.write((tables) => createContact(tables, clock, caller, randomUUID(), body))),

    changeContact: async ({ caller, params, body }) => store.write((tables) => changeContact(tables, caller, params.contactId, body)),

    deleteContact: async ({ caller, params }) => store.write((tables) => deleteContact(tables, caller, params.contactId)),

    listInternalContacts: async ({ caller }) => ({
      items: (await store.read.contacts.colleagues(caller.accountId)).map(toInternalContact),
    }),

    importContacts: ({ caller, body }) => importContacts(importing, caller, body),

    importContactsFromCsv: ({ caller, body }) => importContacts(importing, caller, { ...body, format: 'CSV' }),

    exportContacts: async ({ caller, query: { format }, setHeader }) => {
      const contacts = await store.read.contacts.listVisible(caller.accountId, caller.userId)
      const { type, extension, write } = exports[format]
      setHeader('content-type', `${type}; charset=utf-8`)
      setHeader('content-disposition', `attachment; filename="contacts.${extension}"`)
      return write(contacts)
    },

    listDuplicateContacts: async ({ caller }) => ({
      items: (await findDuplicates(store.read, caller)).map((group) => ({ contacts: group.map(toContactElement) })),
    }),

    mergeContacts: async ({ caller, body }) => toContactElement(await store.write((tables) => mergeContacts(tables, caller, body.ids))),
  }
}

const exports = {
  vcard: { type: 'text/vcard', extension: 'vcf', write: writeVcards },
  csv: { type: 'text/csv', extension: 'csv', write: writeContactCsv },
}

/** Without a limit all of them, as it has always been. */
const listContacts = async ({ store }: Parts, { accountId, userId }: UserCaller, query: Static<typeof ContactsQuery>) => {
  const { limit, cursor } = query
  const { contacts } = store.read
  const search = query.search === undefined ? undefined : readSearch(query.search, (await accountCountryOf(store.read, accountId)).country)
  const input = { descending: query.sort === '-name', ...(search && { search }), ...(cursor !== undefined && { after: readCursor(cursor) }) }
  if (limit === undefined) return { items: (await contacts.listVisible(accountId, userId, input)).map(toContactElement) }
  const [found, totalCount] = await Promise.all([
    contacts.listVisible(accountId, userId, { ...input, limit: limit + 1 }),
    contacts.countVisible(accountId, userId, search),
  ])
  const last = found.length > limit ? found[limit - 1] : undefined
  return { items: found.slice(0, limit).map(toContactElement), totalCount, ...(last && { nextCursor: writeCursor(last) }) }
}

const writeCursor = ({ id, folded }: ContactCursor): string => Buffer.from(`${id} ${folded}`).toString('base64url')

const readCursor = (cursor: string): ContactCursor => {
  const [, id, folded] = /^(\S{1,100}) ([^\0]*)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (id === undefined || folded === undefined) throw Problem.field('cursor', 'is not the nextCursor of a page')
  return { id, folded }
}

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
