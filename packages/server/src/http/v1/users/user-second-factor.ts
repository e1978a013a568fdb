import { Problem } from '@offhook/contract/problem.ts'
import type { userSecondFactorOperations } from '@offhook/contract/v1/users/user-second-factor.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { requireRecentLogin } from '#core/account/identity/second-factor/recent-login.ts'
import { removeSecondFactorOf } from '#core/account/identity/second-factor/remove-for.ts'
import type { Handlers } from '#http/handler/context.ts'
import { secondFactorActions, type OwnFactors, type SecondFactorDeps } from '#http/handler/second-factor-actions.ts'
import { auditByUser } from '#core/kernel/audit/audit-by.ts'

interface Asking {
  caller: UserCaller
  params: { userId: string }
  authorization: string | undefined
  ownPage: string | undefined
}

export const userSecondFactorHandlers = (deps: SecondFactorDeps): Handlers<typeof userSecondFactorOperations> => {
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
