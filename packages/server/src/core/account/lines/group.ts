import { Problem } from '@offhook/contract/problem.ts'
import type { RemovalDeps } from '#core/kernel/ports/account.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Group, GroupStrategy } from '#core/kernel/ports/store/line.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { groupOf } from './find-line.ts'
import { removeFaxlines, removeVoicemails } from './phoneline.ts'
import { retireEndpoint } from './phoneline.ts'

interface GroupInput {
  alias?: string
  strategy?: GroupStrategy
  ringSeconds?: number
  departmentId?: number
  /** Replaces the whole list; calls ring in this order. */
  members?: readonly string[]
  /** Whether the group has its own fax line. */
  faxline?: boolean
}

const maxGroups = 200

/** Creates a group with its voicemail. Account administrators and the operator use the same rules. */
export const createGroup = async (
  tables: Tables,
  clock: Clock,
  accountId: string,
  input: GroupInput & { alias: string },
): Promise<string> => {
  const at = clock.now()
  await tables.accounts.lock(accountId) // includes devices that are added concurrently
  if ((await tables.groups.list(accountId)).length >= maxGroups)
    throw new Problem('conflict', `An account has at most ${maxGroups} groups.`)
  const { alias, strategy = 'PARALLEL', ringSeconds = 20, departmentId } = input
  const id = await tables.groups.create(accountId, { alias, strategy, ringSeconds, departmentId, at })
  await tables.voicemails.create(accountId, { owner: id, alias: `Voicemail ${alias}`, at })
  await setMembers(tables, accountId, id, input.members ?? [])
  if (input.faxline) await tables.faxlines.create(accountId, { owner: id, alias: `Fax ${alias}`, at })
  return id
}

export const changeGroup = async (
  tables: Tables,
  deps: RemovalDeps,
  accountId: string,
  groupId: string,
  input: GroupInput,
): Promise<void> => {
  await tables.accounts.lock(accountId)
  const group = await groupOf(tables, accountId, groupId)
  const { alias, strategy, ringSeconds, departmentId, members, faxline } = input
  if (alias !== undefined) await tables.extensions.setAlias(accountId, groupId, alias)
  await tables.groups.update(accountId, groupId, {
    ...(strategy !== undefined && { strategy }),
    ...(ringSeconds !== undefined && { ringSeconds }),
    ...(departmentId !== undefined && { departmentId }),
  })
  if (members !== undefined) await setMembers(tables, accountId, groupId, members)
  if (faxline !== undefined) await setFaxline(tables, deps, accountId, { ...group, alias: alias ?? group.alias }, faxline)
}

export const deleteGroup = async (tables: Tables, deps: RemovalDeps, accountId: string, groupId: string): Promise<void> => {
  const { clock } = deps
  await tables.accounts.lock(accountId)
  await groupOf(tables, accountId, groupId)
  await retireEndpoint(tables, accountId, groupId)
  await removeVoicemails(tables, clock, accountId, groupId)
  await removeFaxlines(tables, deps, accountId, groupId)
  await tables.groups.remove(accountId, groupId, clock.now())
}

/** Devices follow their owners: those of new members ring with the group, those of former members stop. */
const setMembers = async (tables: Tables, accountId: string, groupId: string, members: readonly string[]): Promise<void> => {
  for (const [index, userId] of members.entries()) {
    if (!(await tables.users.find(accountId, userId))) throw Problem.field(`members/${index}`, 'is no user of this account')
    if (members.indexOf(userId) !== index) throw Problem.field(`members/${index}`, 'is named twice')
  }
  const before = await tables.groups.members(accountId, groupId)
  await tables.groups.replaceMembers(accountId, groupId, members)
  for (const userId of before) if (!members.includes(userId)) await forgetMember(tables, accountId, groupId, userId)
  for (const userId of members) {
    if (before.includes(userId)) continue
    for (const { id } of await tables.devices.listByOwner(accountId, userId)) await tables.groups.addDevice(accountId, groupId, id)
  }
}

/** Removes a former member's devices and notifications from the group. */
const forgetMember = async (tables: Tables, accountId: string, groupId: string, userId: string): Promise<void> => {
  await tables.groups.removeDevicesOf(accountId, groupId, userId)
  const [voicemails, faxlines] = await Promise.all([
    tables.voicemails.listByOwner(accountId, groupId),
    tables.faxlines.listByOwner(accountId, groupId),
  ])
  const endpoints = [groupId, ...[...voicemails, ...faxlines].map(({ id }) => id)]
  await tables.notifications.removeByUser(accountId, userId, endpoints)
}

const setFaxline = async (tables: Tables, deps: RemovalDeps, accountId: string, group: Group, wanted: boolean): Promise<void> => {
  if (!wanted) return removeFaxlines(tables, deps, accountId, group.id)
  const present = await tables.faxlines.listByOwner(accountId, group.id)
  if (present.length === 0) await tables.faxlines.create(accountId, { owner: group.id, alias: `Fax ${group.alias}`, at: deps.clock.now() })
}

/** Settings of a group for administrators. */
export const groupSettings = async (tables: Tables, accountId: string, group: Group) => {
  const { id, alias, strategy, ringSeconds, departmentId } = group
  const [members, faxlines] = await Promise.all([tables.groups.members(accountId, id), tables.faxlines.listByOwner(accountId, id)])
  return { id, alias, strategy, ringSeconds, ...(departmentId !== undefined && { departmentId }), members, faxline: faxlines.length > 0 }
}
