import type { Tables } from '../ports/store/index.ts'

/** Everything a user is reached by: lines of their own, what belongs to the groups they are in, and for administrators the account's flows. */
export const extensionsOf = async (tables: Tables, accountId: string, userId: string): Promise<string[]> => {
  const [user, lines, sms, groups] = await Promise.all([
    tables.users.find(accountId, userId),
    tables.phonelines.list(accountId, userId),
    tables.smsLines.list(accountId, userId),
    tables.groups.listByMember(accountId, userId),
  ])
  const flows = user?.admin ? await tables.flows.list(accountId) : []
  const owners = [...lines, ...groups]
  const [voicemails, faxlines] = await Promise.all([
    Promise.all(owners.map(({ id }) => tables.voicemails.listByOwner(accountId, id))),
    Promise.all([userId, ...groups.map(({ id }) => id)].map((owner) => tables.faxlines.listByOwner(accountId, owner))),
  ])
  return [...owners, ...flows, ...sms, ...voicemails.flat(), ...faxlines.flat()].map(({ id }) => id)
}
