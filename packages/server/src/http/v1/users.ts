import { Problem } from '@offhook/contract/problem.ts'
import type { userOperations } from '@offhook/contract/v1/users.ts'
import { setDefaultDevice } from '#core/account/devices/default-device.ts'
import type { User } from '#core/kernel/ports/store/account.ts'
import type { Handlers } from '../handler/context.ts'
import { type SecondFactorDeps, secondFactorActions, type OwnFactors } from '../handler/second-factor-actions.ts'
import type { userSecondFactorOperations } from '@offhook/contract/v1/users/user-second-factor.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { requireRecentLogin } from '#core/account/identity/second-factor/recent-login.ts'
import { removeSecondFactorOf } from '#core/account/identity/second-factor/remove-for.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { peopleOperations } from '@offhook/contract/v1/users/people.ts'
import { updateUser } from '#core/account/accounts/change-user.ts'
import { activateUser, deactivateUser } from '#core/account/accounts/deactivate-user.ts'
import { addUser } from '#core/account/accounts/add-user.ts'
import { requestEmailChange } from '#core/account/accounts/email-change.ts'
import { demand } from '#core/account/identity/caller/permissions.ts'
import { changePassword } from '#core/account/identity/passwords/change-password.ts'
import { requireGoodPassword } from '#core/account/identity/passwords/good-password.ts'
import { randomCharacters } from '#core/account/identity/tokens/tokens.ts'
import type { HandlerDeps } from '#http/handler/handler-deps.ts'

export const userHandlers = (deps: SecondFactorDeps & PeopleDeps): Handlers<typeof userOperations> => {
  const { store } = deps
  return {
    ...userSecondFactorHandlers(deps),
    ...peopleHandlers(deps),
    listUsers: async ({ caller }) => {
      const users = await store.read.users.list(caller.accountId)
      return { items: users.filter(({ id }) => caller.admin || id === caller.userId).map(toElement) }
    },

    addUser: async ({ caller, body: { password: chosen, ...input } }) => {
      if (chosen !== undefined) requireGoodPassword('password', chosen, input.email)
      const password = chosen ?? randomCharacters(20)
      const passwordHash = await deps.passwords.hash(password)
      const user = await store.write((tables) => addUser(tables, deps.clock, caller, { ...input, passwordHash }))
      return { ...toElement(user), ...(chosen === undefined && { password }) }
    },

    getUser: async ({ caller, params }) => {
      const user = await store.read.users.find(caller.accountId, params.userId)
      if (!user) throw new Problem('user_not_found')
      return toElement(user)
    },

    setDefaultDevice: ({ caller, params, body }) =>
      store.write((tables) => setDefaultDevice(tables, caller.accountId, params.userId, body.deviceId)),
  }
}

const toElement = ({
  id,
  firstname,
  lastname,
  email,
  defaultDevice,
  admin,
  role,
  roleIds = [],
  active,
  busyOnBusy,
  addressId,
  timezone,
  locale,
  localeChosen,
}: User) => ({
  id,
  firstname,
  lastname,
  email,
  defaultDevice: defaultDevice ?? '',
  admin,
  role,
  roleIds: [...roleIds],
  active,
  busyOnBusy,
  timezone,
  locale,
  localeChosen,
  ...(addressId !== undefined && { addressId: String(addressId) }),
})

interface Asking {
  caller: UserCaller
  params: { userId: string }
  authorization: string | undefined
  ownPage: string | undefined
}

const userSecondFactorHandlers = (deps: SecondFactorDeps): Handlers<typeof userSecondFactorOperations> => {
  const { store, clock, authenticator } = deps
  const actions = secondFactorActions(deps)

  const own = async ({ caller, params, authorization, ownPage }: Asking): Promise<OwnFactors> => {
    const { accountId, userId, tokenId } = caller
    if (params.userId !== userId) throw new Problem('forbidden', 'Only the users themselves can set up their second factor.')
    const [user, account] = await Promise.all([store.read.users.find(accountId, userId), store.read.accounts.find(accountId)])
    if (!user || !account) throw new Problem('user_not_found')
    return {
      self: { subject: user.subject, name: user.email, demanded: account.secondFactor, holder: { accountId, userId }, tokenId },
      authorization,
      ownPage,
      note: (tables, action) => auditByUser(tables, clock, caller, `user.${action}`, userId),
    }
  }

  return {
    getSecondFactor: async (asking) => actions.show((await own(asking)).self),
    beginTotp: async (asking) => actions.beginTotp(await own(asking)),
    confirmTotp: async (asking) => actions.confirmTotp(await own(asking), asking.body.code),
    removeTotp: async (asking) => actions.removeTotp(await own(asking)),
    listPasskeys: async (asking) => actions.listPasskeys((await own(asking)).self),
    beginPasskey: async (asking) => actions.beginPasskey(await own(asking)),
    addPasskey: async (asking) => actions.addPasskey(await own(asking), asking.body),
    removePasskey: async (asking) => actions.removePasskey(await own(asking), asking.params.passkeyId),
    renewRecoveryCodes: async (asking) => actions.renewRecoveryCodes(await own(asking)),

    removeSecondFactor: async ({ caller, params: { userId }, authorization }) => {
      await requireRecentLogin(store.read, clock, authorization)
      await store.write(async (tables) => {
        await removeSecondFactorOf(tables, caller.accountId, userId)
        await auditByUser(tables, clock, caller, 'user.second_factor.delete', userId)
      })
      authenticator.forget()
    },
  }
}

type PeopleDeps = Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'passwords' | 'authenticator' | 'cleanups' | 'installation' | 'wake'>

const peopleHandlers = (deps: PeopleDeps): Handlers<typeof peopleOperations> => {
  const { store, clock, vault, authenticator, cleanups, installation, wake } = deps
  const linkTo = (nonce: string): string => `${installation.publicUrl()}/console/email/${nonce}`
  return {
    changeUser: async ({ caller, params: { userId }, body, ip }) => {
      const { accountId } = caller
      const { email, active, ...change } = body
      if (change.role !== undefined || active !== undefined) await demand(store, 'CAN_MANAGE_USERS', caller, userId)
      const link = await store.write(async (tables) => {
        const before = await tables.users.find(accountId, userId)
        if (!before) throw new Problem('user_not_found')
        await updateUser(tables, accountId, userId, change)
        if (active === true && !before.active) await activateUser(tables, accountId, userId)
        if (active === false && before.active) await deactivateUser(tables, { clock, cleanups }, accountId, userId, {})
        await auditByUser(tables, clock, caller, 'user.update', userId, { fields: Object.keys(body), role: change.role, active })
        if (email === undefined || email.trim().toLowerCase() === before.email) return undefined
        return requestEmailChange(tables, { clock, vault, linkTo }, { accountId, userId, email, ip })
      })
      authenticator.forget()
      wake()
      return link === undefined || installation.mail ? {} : { emailLink: link }
    },

    deactivateUser: async ({ caller, params: { userId }, query }) => {
      const { accountId } = caller
      await store.write(async (tables) => {
        await deactivateUser(tables, { clock, cleanups }, accountId, userId, query)
        await auditByUser(tables, clock, caller, 'user.deactivate', userId, query)
      })
      authenticator.forget()
      wake()
    },

    changePassword: async ({ caller, params, body, ip }) => {
      if (params.userId !== caller.userId) throw new Problem('forbidden', 'Only the users themselves can change their password.')
      await changePassword(deps, caller, { ...body, ip })
      authenticator.forget()
    },
  }
}
