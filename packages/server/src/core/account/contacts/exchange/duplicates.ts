import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import type { Contact } from '#core/kernel/ports/store/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { contactPages } from '../contact-pages.ts'
import { folded } from '../names.ts'
import { maxValues } from './card.ts'

/** Maximum contacts listed per group, the limit of one merge request. */
const maxOfGroup = 20
/** Maximum contacts listed in all groups; the rest appear after these are merged. */
const maxListed = 1_000

/**
 * Groups of contacts with the same name or a common number, among those that the caller may change. Private and shared contacts stay apart. Each contact
 * points to another one of its group or to itself (union-find), so that thousands with the same name are not rescanned for each.
 */
export const findDuplicates = async (
  { tables, breathe }: { tables: Tables; breathe: () => Promise<void> },
  caller: Pick<UserCaller, 'accountId' | 'userId' | 'admin'>,
): Promise<Contact[][]> => {
  const byKey = new Map<string, Member>()
  const members: Member[] = []
  for await (const page of contactPages(tables, caller, breathe))
    for (const contact of page) {
      if (!caller.admin && contact.owner !== caller.userId) continue
      const member: Member = { contact }
      members.push(member)
      for (const key of [folded(contact.name), ...contact.numbers].map((one) => `${contact.shared} ${one}`)) {
        const known = byKey.get(key)
        if (known) join(member, known)
        else byKey.set(key, member)
      }
    }
  return listed(members)
}

const listed = (members: readonly Member[]): Contact[][] => {
  const groups = new Map<Member, Contact[]>()
  for (const member of members) {
    const first = firstOf(member)
    const group = groups.get(first)
    if (!group) groups.set(first, [member.contact])
    else if (group.length < maxOfGroup) group.push(member.contact)
  }
  const found: Contact[][] = []
  let count = 0
  for (const group of groups.values()) {
    if (group.length < 2) continue
    count += group.length
    if (count > maxListed) break
    found.push(group)
  }
  return found
}

interface Member {
  contact: Contact
  /** A contact of the group closer to its representative; undefined for the representative. */
  leader?: Member
}

/** Finds the representative of the group, with path compression. */
const firstOf = (member: Member): Member => {
  let first = member
  while (first.leader) first = first.leader
  for (let one = member; one !== first;) {
    const { leader = first } = one
    one.leader = first
    one = leader
  }
  return first
}

const join = (one: Member, other: Member): void => {
  const [first, leader] = [firstOf(one), firstOf(other)]
  if (first !== leader) first.leader = leader
}

/** Keeps the first contact, with the numbers and addresses of all. */
export const mergeContacts = async (tables: Tables, caller: UserCaller, ids: readonly string[]): Promise<Contact> => {
  const { accountId, userId, admin } = caller
  const [kept, ...others] = await Promise.all([...new Set(ids)].map((id) => tables.contacts.findVisible(accountId, userId, id)))
  if (!kept || others.length === 0 || others.includes(undefined)) throw new Problem('contact_not_found')
  const all = [kept, ...others].filter((one) => one !== undefined)
  if (!admin && all.some(({ owner }) => owner !== userId)) throw new Problem('forbidden')
  if (all.some(({ shared }) => shared !== kept.shared)) throw Problem.field('ids', 'must not mix private and shared contacts')
  const [numbers, emails] = [all.flatMap((one) => one.numbers), all.flatMap((one) => one.emails)].map((list) => [...new Set(list)])
  if ((numbers?.length ?? 0) > maxValues || (emails?.length ?? 0) > maxValues)
    throw Problem.field('ids', 'have more than 20 numbers or addresses')
  const merged = { ...kept, numbers: numbers ?? [], emails: emails ?? [] }
  for (const { id } of all) if (id !== kept.id) await tables.contacts.remove(accountId, id)
  await tables.contacts.update(accountId, merged)
  return merged
}
