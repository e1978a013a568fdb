import { Problem } from '@offhook/contract/problem.ts'
import { requireAnotherAdmin } from '#core/account/accounts/change-user.ts'
import { endService } from '#core/account/accounts/close-account.ts'
import { releaseDevice } from '#core/account/devices/delete-device.ts'
import { revokeUser } from '#core/account/identity/tokens/grants.ts'
import type { RemovalDeps, DataSubject } from '#core/kernel/ports/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Part of a transaction. Scheduling rejects an erasure, and its execution fails, for the same reasons. */
export const requireErasable = async (tables: Tables, subject: DataSubject): Promise<void> => {
  if (subject.type !== 'user') return
  const { accountId, userId } = subject
  const user = await tables.users.find(accountId, userId)
  if (!user) return
  await requireAnotherAdmin(tables, accountId, user).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'last_admin') throw error
    throw new Problem('last_admin', 'This is the last administrator. Make another user an administrator first, or erase the account.')
  })
  await requireUnreferenced(tables, accountId, userId)
}

/**
 * Part of the transaction in which an erasure begins: disables logins, calls and messages of the subject and releases its numbers. Rows
 * stay, since the erasure uses them to find related data.
 */
export const cutOff = async (tables: Tables, deps: RemovalDeps, subject: DataSubject): Promise<void> => {
  const { accountId } = subject
  if (!(await tables.accounts.find(accountId))) return
  if (subject.type === 'account') return endService(tables, deps, accountId)
  const user = subject.type === 'user' ? await tables.users.find(accountId, subject.userId) : undefined
  if (!user) return
  await requireErasable(tables, subject)
  for (const { id, type } of await tables.numbers.listByUser(accountId, user.id)) {
    if (type === 'QUICKDIAL') await tables.numbers.remove(accountId, id)
    else await tables.numbers.setRouting(accountId, id, {})
  }
  for (const { id } of await tables.devices.listByOwner(accountId, user.id)) await releaseDevice(tables, deps.clock, accountId, id)
  for (const { id } of await tables.smsLines.list(accountId, user.id)) await tables.programs.removeLogin(accountId, id)
  await deps.cleanups.userLeaves(tables, accountId, user.id)
  await revokeUser(tables, accountId, user)
  await tables.users.disable(accountId, user.id, deps.clock.now())
}

/** Rejects if other users' forwardings or rules refer to the user: only they may change them. */
const requireUnreferenced = async (tables: Tables, accountId: string, userId: string): Promise<void> => {
  const lines = await tables.phonelines.list(accountId, userId)
  const voicemails = await Promise.all(lines.map(({ id }) => tables.voicemails.listByOwner(accountId, id)))
  const own = [
    ...lines,
    ...voicemails.flat(),
    ...(await tables.faxlines.listByOwner(accountId, userId)),
    ...(await tables.smsLines.list(accountId, userId)),
  ].map(({ id }) => id)
  for (const endpoint of own) {
    const leading = [
      ...(await tables.phonelines.forwardedFrom(accountId, endpoint)),
      ...(await tables.routingRules.listLeadingTo(accountId, endpoint)),
    ]
    const [foreign] = leading.filter((line) => !own.includes(line))
    if (foreign !== undefined) throw new Problem('endpoint_in_use', `${foreign} still leads to ${endpoint} of this user.`)
  }
}
