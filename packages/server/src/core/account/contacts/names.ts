import type { Tables } from '#core/kernel/ports/store/index.ts'

/** How a number is called by this user. */
export interface Named {
  name: string
  /** None when it is a user, line, group or flow of the account. */
  contactId?: string
}

/** What can be dialled; the rest, such as `anonymous`, belongs to nobody. */
const dialled = /^\+?[0-9*#]+$/

/**
 * Who is behind these numbers: a contact of the user, one that others share, then whom the account's own numbers and quick dials lead to. Numbers without a
 * name are not in the answer. `userId`: undefined for those who have no contacts of their own, such as a flow.
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

/** Without capitals and accents, so that `Müller` is found by `MULLER`, and stands among the M. */
export const folded = (name: string): string =>
  name
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
