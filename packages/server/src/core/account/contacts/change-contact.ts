import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Contact } from '#core/kernel/ports/store/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { maxContacts, readContact, type ContactEntry } from './contact-entry.ts'

export const createContact = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  id: string,
  entry: ContactEntry,
): Promise<Contact> => {
  const { accountId, userId } = caller
  const contact = { id, owner: userId, ...readContact(entry, await countryOf(tables, accountId)) }
  await tables.accounts.lock(accountId) // prevents concurrent requests from both taking the last allowed place
  if ((await tables.contacts.count(accountId)) >= maxContacts) throw new Problem('contact_limit_reached')
  await tables.contacts.insert(accountId, [contact], clock.now())
  return contact
}

export const changeContact = async (tables: Tables, caller: UserCaller, id: string, entry: ContactEntry): Promise<void> => {
  const { owner } = await editable(tables, caller, id)
  await tables.contacts.update(caller.accountId, { id, owner, ...readContact(entry, await countryOf(tables, caller.accountId)) })
}

export const deleteContact = async (tables: Tables, caller: UserCaller, id: string): Promise<void> => {
  await editable(tables, caller, id)
  await tables.contacts.remove(caller.accountId, id)
}

/** Private contacts of others do not exist for this user; only the owner or an administrator may change shared ones. */
const editable = async (tables: Tables, caller: UserCaller, id: string): Promise<Contact> => {
  const contact = await tables.contacts.findVisible(caller.accountId, caller.userId, id)
  if (!contact) throw new Problem('contact_not_found')
  if (contact.owner !== caller.userId && !caller.admin) throw new Problem('forbidden')
  return contact
}

const countryOf = async (tables: Tables, accountId: string): Promise<string> => {
  const account = await tables.accounts.find(accountId)
  if (!account) throw new Problem('account_not_found')
  return account.country
}
