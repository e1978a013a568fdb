import { Problem } from '@offhook/contract/problem.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { UserCaller } from '../caller/caller.ts'
import { findProvider } from './providers.ts'

interface Enforcement {
  enforced: boolean
  breakGlass?: string[]
}

/**
 * Lets users in through the provider only. Break-glass administrators keep the password login for the day on which the provider fails; all
 * other logins end.
 */
export const enforce = async (tables: Tables, clock: Clock, caller: UserCaller, id: string, input: Enforcement): Promise<void> => {
  const { accountId } = caller
  await tables.accounts.lock(accountId)
  const provider = await findProvider(tables, accountId, id)
  const { enforced, breakGlass = provider.settings.breakGlass } = input
  const users = await tables.users.list(accountId)
  for (const userId of breakGlass)
    if (!users.some((user) => user.id === userId && user.admin)) throw Problem.field('breakGlass', 'names somebody who is no administrator')
  if (enforced) {
    const domains = await tables.identityProviders.domains(accountId)
    if (!domains.some(({ providerId, verifiedAt }) => providerId === id && verifiedAt !== undefined))
      throw new Problem('domain_not_verified')
    if (!users.some((user) => user.active && breakGlass.includes(user.id))) throw new Problem('break_glass_missing')
    const sessions = new Set((await tables.identityProviders.listSessions(accountId, id)).map(({ userId }) => userId))
    for (const user of users) {
      if (breakGlass.includes(user.id) || sessions.has(user.id)) continue
      await tables.tokens.removeLogins({ accountId, userId: user.id })
      await tables.oidcRecords.removeBySubject(user.subject)
    }
  }
  await tables.identityProviders.update(accountId, id, { ...provider, enforced, settings: { ...provider.settings, breakGlass } })
  await auditByUser(tables, clock, caller, 'identity_provider.enforce', id, { enforced, breakGlass })
}

/**
 * Call after the password was found to be right, so that nobody learns more by guessing. Administrators who are not in the list of one
 * provider may be in that of another.
 */
export const requirePasswordAllowed = async (store: Store, clock: Clock, user: { accountId: string; userId: string }): Promise<void> => {
  const enforcing = (await store.read.identityProviders.list(user.accountId)).filter(({ enforced }) => enforced)
  if (enforcing.length === 0) return
  if (!enforcing.some(({ settings }) => settings.breakGlass.includes(user.userId))) throw new Problem('single_sign_on_required')
  const found = await store.read.users.find(user.accountId, user.userId)
  if (!found?.admin) throw new Problem('single_sign_on_required')
  await store.write((tables) => auditByUser(tables, clock, user, 'login.break_glass', user.userId))
}
