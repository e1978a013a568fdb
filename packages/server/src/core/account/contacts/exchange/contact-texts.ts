import type { Contact, ContactCursor, ContactsRequest, TypedSearch } from '#core/kernel/ports/store/account.ts'
import type { TextSlice, Tables } from '#core/kernel/ports/store/index.ts'
import { contactElement } from '../contact-element.ts'
import { writeContactCursor } from '../contact-cursor.ts'
import { writeCsvContacts, writeCsvHead, type CsvColumns } from './contact-csv.ts'
import { findDuplicates } from './duplicates.ts'
import { writeVcards } from './vcard.ts'

/** Takes one to three milliseconds to read and write. */
const contactsPerSlice = 250

interface ContactsInput extends Pick<ContactsRequest, 'search' | 'descending' | 'after' | 'offset'> {
  accountId: string
  userId: string
}

interface Begun {
  /** The slices before this one have been written. */
  hasBegun?: boolean
}

type ContactSlice<I extends ContactsInput = ContactsInput & Begun> = Promise<TextSlice<I>>

/** The whole list as JSON. */
export const contactsJson = async (tables: Tables, input: ContactsInput & Begun): ContactSlice => {
  const { contacts, last } = await readSlice(tables, input, contactsPerSlice)
  const items = contacts.map((contact) => JSON.stringify(contactElement(contact))).join(',')
  const text = `${input.hasBegun ? ',' : '{"items":['}${items}${last ? '' : ']}'}`
  return { text, ...(last && { next: { ...input, after: last, hasBegun: true } }) }
}

/** One page of search results. */
export const contactPage = async (tables: Tables, { limit, ...input }: ContactsInput & { search: TypedSearch; limit: number }) => {
  const { contacts, last } = await readSlice(tables, input, limit)
  const totalCount = await tables.contacts.countVisible(input.accountId, input.userId, input.search)
  return { items: contacts.map(contactElement), totalCount, ...(last && { nextCursor: writeContactCursor(last) }) }
}

export const contactVcards = async (tables: Tables, input: ContactsInput): ContactSlice<ContactsInput> => {
  const { contacts, last } = await readSlice(tables, input, contactsPerSlice)
  return { text: writeVcards(contacts), ...(last && { next: { ...input, after: last } }) }
}

/** The header row has as many columns as the contact with the most numbers or addresses needs. */
export const contactTable = async (
  tables: Tables,
  input: ContactsInput & { widths?: CsvColumns },
): ContactSlice<ContactsInput & { widths?: CsvColumns }> => {
  const widths = input.widths ?? (await tables.contacts.widths(input.accountId, input.userId))
  const { contacts, last } = await readSlice(tables, input, contactsPerSlice)
  const text = (input.widths ? '' : writeCsvHead(widths)) + writeCsvContacts(contacts, widths)
  return { text, ...(last && { next: { ...input, widths, after: last } }) }
}

/** A no-op: a thread need not yield, and an external database yields to the event loop with every page. */
const breathe = (): Promise<void> => Promise.resolve()

export const duplicatesOf = async (tables: Tables, caller: { accountId: string; userId: string; admin: boolean }) => {
  const groups = await findDuplicates({ tables, breathe }, caller)
  return { items: groups.map((group) => ({ contacts: group.map(contactElement) })) }
}

/** Reads one more than requested to detect further contacts. */
const readSlice = async (tables: Tables, input: ContactsInput, limit: number): Promise<{ contacts: Contact[]; last?: ContactCursor }> => {
  const { accountId, userId, search, descending, after, offset = 0 } = input
  const request = { limit: limit + 1, offset, ...(search && { search }), ...(descending && { descending }), ...(after && { after }) }
  const found = await tables.contacts.listVisible(accountId, userId, request)
  const end = found.length > limit ? found[limit - 1] : undefined
  return { contacts: found.slice(0, limit), ...(end && { last: { folded: end.folded, id: end.id } }) }
}
