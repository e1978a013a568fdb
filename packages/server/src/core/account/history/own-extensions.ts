import type { HistoryViewer } from '#core/kernel/ports/store/call/history.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

export interface Viewer {
  accountId: string
  userId: string
  admin: boolean
}

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

/** Administrators see every entry of the account. */
export const maySee = async (tables: Tables, { accountId, userId, admin }: Viewer, entryId: string): Promise<boolean> =>
  admin || (await tables.history.find(accountId, entryId, await viewerOf(tables, accountId, userId))) !== undefined

/** Whose calls a user sees. Assistants belong to the account: their calls are seen by its administrators and developers. */
export const viewerOf = async (tables: Tables, accountId: string, userId: string): Promise<HistoryViewer> => {
  const [user, own] = await Promise.all([tables.users.find(accountId, userId), extensionsOf(tables, accountId, userId)])
  const flows = user?.role === 'ADMIN' || user?.role === 'DEVELOPER' ? await tables.flows.list(accountId) : []
  return { userId, extensions: [...own, ...flows.map(({ id }) => id)] }
}
