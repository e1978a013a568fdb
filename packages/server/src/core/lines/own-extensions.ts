import type { Tables } from '../ports/store/index.ts'

/** Everything a user is reached by: lines of their own, and what belongs to the groups they are in. */
export const extensionsOf = async (tables: Tables, accountId: string, userId: string): Promise<string[]> => {
  const [lines, sms, groups] = await Promise.all([
    tables.phonelines.list(accountId, userId),
    tables.smsLines.list(accountId, userId),
    tables.groups.listByMember(accountId, userId),
  ])
  const owners = [...lines, ...groups]
  const [voicemails, faxlines] = await Promise.all([
    Promise.all(owners.map(({ id }) => tables.voicemails.listByOwner(accountId, id))),
    Promise.all([userId, ...groups.map(({ id }) => id)].map((owner) => tables.faxlines.listByOwner(accountId, owner))),
  ])
  return [...owners, ...sms, ...voicemails.flat(), ...faxlines.flat()].map(({ id }) => id)
}
