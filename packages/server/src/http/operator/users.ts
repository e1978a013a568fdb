import type { operatorUserOperations } from '@offhook/contract/operator/users.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { disableUser, setPassword, updateUser } from '#core/account/accounts/change-user.ts'
import { requireTimezone } from '#core/kernel/local-day.ts'
import { createUser } from '#core/account/accounts/create-account.ts'
import { auditedWrite } from '#core/kernel/audit/audit.ts'
import { refuseGuessable } from '#core/account/identity/passwords/good-password.ts'
import { removeSecondFactorOf } from '#core/account/identity/second-factor/remove-for.ts'
import { randomCharacters } from '#core/account/identity/tokens/tokens.ts'
import type { User } from '#core/kernel/ports/store/account.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const operatorUserHandlers = ({
  store,
  clock,
  cleanups,
  passwords,
  authenticator,
}: Pick<HandlerDeps, 'store' | 'clock' | 'cleanups' | 'passwords' | 'authenticator'>): Handlers<typeof operatorUserOperations> => ({
  listAccountUsers: async ({ query: { accountId } }) => {
    if (!(await store.read.accounts.find(accountId))) throw new Problem('account_not_found')
    const users = await store.read.users.list(accountId)
    return { items: users.map((user) => toReply(accountId, user)) }
  },

  createUser: async ({ caller, body: { accountId, password: given, admin = false, ...input } }) => {
    if (input.timezone !== undefined) requireTimezone(input.timezone)
    if (given !== undefined) refuseGuessable(given, input.email)
    const password = given ?? randomCharacters(20)
    const passwordHash = await passwords.hash(password)
    const note = (id: string) => ({ chain: accountId, action: 'user.create', target: id, detail: { admin } })
    const id = await auditedWrite(store, clock, caller, note, async (tables) => {
      const account = await tables.accounts.find(accountId)
      if (!account) throw new Problem('account_not_found')
      return createUser(tables, clock, accountId, { locale: account.locale, ...input, admin, passwordHash })
    })
    return { accountId, id, ...(given === undefined && { password }) }
  },

  readAccountUser: async ({ params: { accountId, userId } }) => {
    const user = await store.read.users.find(accountId, userId)
    if (!user) throw new Problem('user_not_found')
    return toReply(accountId, user)
  },

  updateUser: async ({ caller, params: { accountId, userId }, body }) => {
    const { admin, ...rest } = body
    const role = admin === undefined ? {} : { role: admin ? ('ADMIN' as const) : ('USER' as const) }
    const note = { chain: accountId, action: 'user.update', target: userId, detail: { fields: Object.keys(body), admin: body.admin } }
    await auditedWrite(store, clock, caller, note, (tables) => updateUser(tables, accountId, userId, { ...rest, ...role }))
    authenticator.forget()
  },

  disableUser: async ({ caller, params: { accountId, userId } }) => {
    const note = { chain: accountId, action: 'user.disable', target: userId }
    await auditedWrite(store, clock, caller, note, (tables) => disableUser(tables, { clock, cleanups }, accountId, userId))
    authenticator.forget()
  },

  removeUserSecondFactor: async ({ caller, params: { accountId, userId } }) => {
    const note = { chain: accountId, action: 'user.second_factor.delete', target: userId }
    await auditedWrite(store, clock, caller, note, (tables) => removeSecondFactorOf(tables, accountId, userId))
    authenticator.forget()
  },

  setUserPassword: async ({ caller, params: { accountId, userId }, body }) => {
    const user = await store.read.users.find(accountId, userId)
    if (user) refuseGuessable(body.password, user.email)
    const passwordHash = await passwords.hash(body.password)
    const note = { chain: accountId, action: 'user.password', target: userId }
    await auditedWrite(store, clock, caller, note, (tables) => setPassword(tables, accountId, userId, passwordHash))
    authenticator.forget()
  },
})

const toReply = (accountId: string, { id, email, firstname, lastname, admin, locale, timezone }: User) => ({
  accountId,
  id,
  email,
  firstname,
  lastname,
  admin,
  locale,
  timezone,
})
