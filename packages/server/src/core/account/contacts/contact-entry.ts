import { Problem } from '@offhook/contract/problem.ts'
import { parseNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Contact } from '#core/kernel/ports/store/account.ts'

export const maxContacts = 20_000
/** Maximum characters per value, as in the API contract. */
export const maxLength = { numbers: 40, emails: 254 } as const

/** A contact as a client sends it. */
export interface ContactEntry {
  name: string
  emails?: string[]
  numbers?: string[]
  shared?: boolean
}

const address = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u
/** Codes that phones can dial in addition to real numbers: quick dials, service and feature codes. */
const dialCode = /^[0-9*#]{2,16}$/

/** Stores numbers as E.164, so that spellings of the same number compare equal. */
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
