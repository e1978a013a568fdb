import { coversAssistant, extensionsIn, readGrants, scopeOf } from '#core/account/identity/caller/grants.ts'
import type { RoleScope } from '#core/kernel/ports/store/identity.ts'
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
export const maySee = async (
  tables: Tables,
  { accountId, userId, admin }: Viewer,
  entryId: string,
  permission?: HistoryPermission,
): Promise<boolean> =>
  admin || (await tables.history.find(accountId, entryId, await viewerOf(tables, accountId, userId, permission))) !== undefined

type HistoryPermission = 'CAN_GET_HISTORY' | 'CAN_CHANGE_HISTORY'

/**
 * Calls visible to a user. Assistants belong to the account: administrators and developers see their calls. A user with own roles sees what
 * the permission covers.
 */
export const viewerOf = async (
  tables: Tables,
  accountId: string,
  userId: string,
  permission: HistoryPermission = 'CAN_GET_HISTORY',
): Promise<HistoryViewer> => {
  const user = await tables.users.find(accountId, userId)
  const grants = user && (await readGrants(tables, accountId, user))
  if (grants && !grants[permission]) return { userId, extensions: [], onlyExtensions: true }
  const scope = scopeOf({ grants }, permission)
  if (scope) return { userId, extensions: await extensionsWithin(tables, accountId, scope), onlyExtensions: true }
  const develops = grants ? grants.CAN_CHANGE_FLOWS !== undefined : user?.role === 'ADMIN' || user?.role === 'DEVELOPER'
  const [own, flows] = await Promise.all([extensionsOf(tables, accountId, userId), develops ? tables.flows.names(accountId) : []])
  const seen = flows.filter(({ id }) => coversAssistant({ grants }, 'CAN_CHANGE_FLOWS', id))
  return { userId, extensions: [...own, ...seen.map(({ id }) => id)] }
}

/** Extensions of a scope, with the voicemails and fax lines that belong to them. */
const extensionsWithin = async (tables: Tables, accountId: string, scope: RoleScope): Promise<string[]> => {
  const [voicemails, faxlines] = await Promise.all([
    Promise.all([...scope.groups, ...scope.lines].map((id) => tables.voicemails.listByOwner(accountId, id))),
    Promise.all(scope.groups.map((id) => tables.faxlines.listByOwner(accountId, id))),
  ])
  return [...extensionsIn(scope), ...[...voicemails.flat(), ...faxlines.flat()].map(({ id }) => id)]
}
