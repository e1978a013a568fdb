import { Problem } from '@offhook/contract/problem.ts'
import type { UserRole } from '@offhook/contract/roles.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import { requireTimezone } from '#core/kernel/local-day.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { User } from '#core/kernel/ports/store/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Locale } from '#core/kernel/translations/index.ts'
import { createUser } from './create-account.ts'

export const maxUsers = 1_000

interface UserInput {
  email: string
  passwordHash: string
  firstname: string
  lastname: string
  role?: UserRole
  locale?: Locale
  timezone?: string
  lineName?: string
}

/** Creates a user on behalf of an administrator; an open invitation to the same address is withdrawn. */
export const addUser = async (
  tables: Tables,
  clock: Clock,
  caller: { accountId: string; userId: string },
  input: UserInput,
): Promise<User> => {
  const { accountId } = caller
  const email = input.email.trim().toLowerCase()
  if (input.timezone !== undefined) requireTimezone(input.timezone)
  await tables.accounts.lock(accountId) // keeps the count exact
  const account = await tables.accounts.find(accountId)
  if (!account) throw new Problem('account_not_found')
  await tables.invitations.removeByEmail(accountId, email)
  if ((await tables.users.list(accountId)).length + (await tables.invitations.list(accountId)).length >= maxUsers)
    throw new Problem('user_limit_reached')
  if (await tables.users.isTaken(email)) throw Problem.field('email', 'belongs to another user', 'email_taken')
  const id = await createUser(tables, clock, accountId, { locale: account.locale, ...input, email })
  await auditByUser(tables, clock, caller, 'user.create', id, { role: input.role ?? 'USER' })
  const user = await tables.users.find(accountId, id)
  if (!user) throw new Error('a user who was just made is gone')
  return user
}
