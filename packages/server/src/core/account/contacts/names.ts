import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Name of a number for this user. */
interface Named {
  name: string
  /** Undefined when it is a user, line, group or flow of the account. */
  contactId?: string
}

/** Diallable numbers; anything else, such as `anonymous`, has no name. */
const dialled = /^\+?[0-9*#]+$/

/**
 * Resolves names of numbers: contacts of the user, then shared contacts, then the targets of the account's own numbers and quick dials. Omits numbers without a
 * name. `userId`: undefined for callers without private contacts, such as a flow.
 */
export const namesOf = async (
  tables: Pick<Tables, 'contacts'>,
  accountId: string,
  userId: string | undefined,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, Named>> => {
  const asked = [...new Set(numbers)].filter((number) => dialled.test(number))
  const found = new Map<string, Named>()
  if (asked.length === 0) return found
  for (const { number, name, contactId } of await tables.contacts.findNames(accountId, userId, asked))
    if (!found.has(number)) found.set(number, { name, ...(contactId !== undefined && { contactId }) })
  return found
}

/** Strips case and accents, so that `MULLER` finds `Müller`, which sorts under M. */
export const folded = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
