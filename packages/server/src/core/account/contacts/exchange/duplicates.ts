import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Contact } from '#core/kernel/ports/store/account/contacts.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { folded } from '../names.ts'

/** Groups of contacts with the same name or a number in common, among those that the caller may change. Private and shared ones stay apart. */
export const findDuplicates = async (tables: Tables, { accountId, userId, admin }: UserCaller): Promise<Contact[][]> => {
  const contacts = (await tables.contacts.listVisible(accountId, userId)).filter(({ owner }) => admin || owner === userId)
  const groups = new Map<string, Set<Contact>>()
  for (const contact of contacts) {
    const keys = [folded(contact.name), ...contact.numbers].map((key) => `${contact.shared} ${key}`)
    const met = new Set(keys.flatMap((key) => groups.get(key) ?? []))
    const group = new Set([contact, ...[...met].flatMap((one) => [...one])])
    for (const member of group) for (const key of [folded(member.name), ...member.numbers]) groups.set(`${member.shared} ${key}`, group)
  }
  return [...new Set(groups.values())].filter(({ size }) => size > 1).map((group) => [...group])
}

/** The first one stays, with the numbers and addresses of all. */
export const mergeContacts = async (tables: Tables, caller: UserCaller, ids: readonly string[]): Promise<Contact> => {
  const { accountId, userId, admin } = caller
  const [kept, ...others] = await Promise.all([...new Set(ids)].map((id) => tables.contacts.findVisible(accountId, userId, id)))
  if (!kept || others.length === 0 || others.includes(undefined)) throw new Problem('contact_not_found')
  const all = [kept, ...others].filter((one) => one !== undefined)
  if (!admin && all.some(({ owner }) => owner !== userId)) throw new Problem('forbidden')
  if (all.some(({ shared }) => shared !== kept.shared)) throw Problem.field('ids', 'must not mix private and shared contacts')
  const [numbers, emails] = [all.flatMap((one) => one.numbers), all.flatMap((one) => one.emails)].map((list) => [...new Set(list)])
  if ((numbers?.length ?? 0) > maxPerKind || (emails?.length ?? 0) > maxPerKind)
    throw Problem.field('ids', 'have more than 20 numbers or addresses')
  const merged = { ...kept, numbers: numbers ?? [], emails: emails ?? [] }
  for (const { id } of all) if (id !== kept.id) await tables.contacts.remove(accountId, id)
  await tables.contacts.update(accountId, merged)
  return merged
}

const maxPerKind = 20
