import { Problem } from '@offhook/contract/problem.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Contact } from '#core/kernel/ports/store/account/contacts.ts'

export const maxContacts = 20_000

/** A contact as a client writes it. */
export interface ContactEntry {
  name: string
  emails?: string[]
  numbers?: string[]
  shared?: boolean
}

const address = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u
/** What phones can dial beside real numbers: quick dials, service and feature codes. */
const dialCode = /^[0-9*#]{2,16}$/

/** Numbers are kept in their E.164 form, so that the same number is recognised however it was written. */
export const readContact = (entry: ContactEntry, country: string): Omit<Contact, 'id' | 'owner'> => {
  const name = entry.name.trim()
  if (name === '') throw Problem.field('name', 'is required')
  const emails = (entry.emails ?? []).map((written, position) => {
    const email = written.trim()
    if (!address.test(email)) throw Problem.field(`emails/${position}`, 'is not an e-mail address')
    return email
  })
  const numbers = (entry.numbers ?? []).map((number, position) => {
    const known = parseNumber(number, country)?.e164 ?? (dialCode.test(number) ? number : undefined)
    if (known === undefined) throw Problem.field(`numbers/${position}`, 'is not a phone number')
    return known
  })
  return { name, emails: unique(emails), numbers: unique(numbers), shared: entry.shared ?? false }
}

const unique = (values: string[]): string[] => [...new Set(values)]
