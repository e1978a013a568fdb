import type { HistoryViewer } from '#core/kernel/ports/store/call.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

export interface Viewer {
  accountId: string
  userId: string
  admin: boolean
}

/** All extensions of a user: own lines, and those of the user's groups. */
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

/** Administrators see every entry of the account. */
export const maySee = async (tables: Tables, { accountId, userId, admin }: Viewer, entryId: string): Promise<boolean> =>
  admin || (await tables.history.find(accountId, entryId, await viewerOf(tables, accountId, userId))) !== undefined

/** Calls visible to a user. Assistants belong to the account: administrators and developers see their calls. */
export const viewerOf = async (tables: Tables, accountId: string, userId: string): Promise<HistoryViewer> => {
  const [user, own] = await Promise.all([tables.users.find(accountId, userId), extensionsOf(tables, accountId, userId)])
  const flows = user?.role === 'ADMIN' || user?.role === 'DEVELOPER' ? await tables.flows.names(accountId) : []
  return { userId, extensions: [...own, ...flows.map(({ id }) => id)] }
}
