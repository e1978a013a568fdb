import { assistants } from './assistants.ts'
import { calendars } from './calendars.ts'
import { calls } from './calls.ts'
import type { Entry, Table } from './entry.ts'
import { installation } from './installation.ts'
import { lines } from './lines.ts'
import { logins } from './logins.ts'
import { people } from './people.ts'

/** By chapter of docs/personal-data.md. */
export const chapters = {
  'Accounts and users': people,
  Logins: logins,
  'Calls, messages and faxes': calls,
  'Devices, lines and numbers': lines,
  Calendars: calendars,
  'Assistants and their knowledge': assistants,
  'Money, work that waits, and the installation': installation,
} as const

/** Every table of the schema: its personal data, their owner and their deletion. A table or column missing here does not compile. */
export const catalogue: { readonly [T in Table]: Entry<T> } = {
  ...people,
  ...logins,
  ...lines,
  ...calls,
  ...calendars,
  ...assistants,
  ...installation,
}

export { kinds, type Kind, type Table } from './entry.ts'

export const tables = Object.keys(catalogue) as Table[]
