import { randomUUID } from 'node:crypto'
import type { BodyOf, QueryOf } from '@offhook/contract/operation.ts'
import type { contactV2Operations } from '@offhook/contract/v2/contacts.ts'
import { changeContact, createContact, deleteContact } from '#core/account/contacts/change-contact.ts'
import type { ContactEntry } from '#core/account/contacts/contact-entry.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { accountCountryOf } from '#core/account/lines/destination.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Contact, ContactCursor } from '#core/kernel/ports/store/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const contactV2Handlers = ({ store, clock }: Pick<HandlerDeps, 'store' | 'clock'>): Handlers<typeof contactV2Operations> => ({
  listContactsV2: async ({ caller, query, breathe }) => {
    const { items, totalCount } = await pageOf(store.read, caller, query, breathe)
    return { items: items.map(toElement), totalCount }
  },

  createContactV2: async ({ caller, body }) =>
    toElement(await store.write((tables) => createContact(tables, clock, caller, randomUUID(), toEntry(body)))),

  changeContactV2: ({ caller, params, body }) => store.write((tables) => changeContact(tables, caller, params.contactId, toEntry(body))),

  deleteContactV2: ({ caller, params }) => store.write((tables) => deleteContact(tables, caller, params.contactId)),
})

const toEntry = ({ name, emails = [], numbers = [], scope }: BodyOf<typeof contactV2Operations.createContactV2>): ContactEntry => ({
  name,
  emails: emails.map(({ email }) => email),
  numbers: numbers.map(({ number }) => number),
  shared: scope === 'SHARED',
})

const toElement = ({ id, name, emails, numbers, shared }: Contact) => ({
  id,
  name,
  picture: null,
  emails: emails.map((email) => ({ email, type: [] })),
  numbers: numbers.map((number) => ({ number, type: [] })),
  addresses: [],
  organization: [],
  scope: shared ? ('SHARED' as const) : ('PRIVATE' as const),
})

const sliceLength = 200

/** By name. Reads in slices, because filter and offset are not known to the database. */
const pageOf = async (
  tables: Tables,
  { accountId, userId }: UserCaller,
  { offset = 0, limit = 5000, phonenumbers }: QueryOf<typeof contactV2Operations.listContactsV2>,
  breathe: () => Promise<void>,
): Promise<{ items: Contact[]; totalCount: number }> => {
  const wanted = phonenumbers && new Set(await readNumbers(tables, accountId, phonenumbers))
  const items: Contact[] = []
  let found = 0
  let after: ContactCursor | undefined
  for (;;) {
    const slice = await tables.contacts.listVisible(accountId, userId, { limit: sliceLength, ...(after && { after }) })
    for (const contact of slice) {
      if (wanted && !contact.numbers.some((number) => wanted.has(number))) continue
      if (found++ >= offset && items.length < limit) items.push(contact)
    }
    after = slice.at(-1)
    if (!after || slice.length < sliceLength) return { items, totalCount: found }
    if (!wanted && items.length === limit) return { items, totalCount: await tables.contacts.countVisible(accountId, userId) }
    await breathe()
  }
}

const readNumbers = async (tables: Tables, accountId: string, written: readonly string[]): Promise<string[]> => {
  const { country } = await accountCountryOf(tables, accountId)
  return written.map((number) => parseNumber(number, country)?.e164 ?? number)
}
