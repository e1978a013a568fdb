import type { accountOperations, productTypes } from '@offhook/contract/v1/account.ts'
import { Problem } from '@offhook/contract/problem.ts'
import { requireOfAccount } from '#core/account/identity/second-factor/challenge.ts'
import { requireRecentLogin } from '#core/account/identity/second-factor/recent-login.ts'
import { callbackNumber } from '#core/telephone/routing/emergency-caller.ts'
import { hashSecret } from '#core/account/identity/tokens/tokens.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

export const accountHandlers = ({
  store,
  clock,
  authenticator,
}: Pick<HandlerDeps, 'store' | 'clock' | 'authenticator'>): Handlers<typeof accountOperations> => ({
  getAccount: async ({ caller }) => {
    const account = await store.read.accounts.find(caller.accountId)
    if (!account) throw new Problem('account_not_found')
    const { company, logoUrl, verified, country, locale } = account
    const mainProductType = account.mainProductType as (typeof productTypes)[number]
    return { company, mainProductType, logoUrl, verified, country, locale }
  },

  getEmergencyCallback: async ({ caller: { accountId } }) => {
    const [account, devices] = await Promise.all([store.read.accounts.find(accountId), store.read.devices.list(accountId)])
    if (!account) throw new Problem('account_not_found')
    const callback = await callbackNumber(store.read, account, undefined, clock.now())
    return { ...(callback && { callbackNumber: callback.e164 }), hasPhones: devices.some(({ type }) => type !== 'EXTERNAL') }
  },

  demandSecondFactor: async ({ caller, authorization, body }) => {
    await requireRecentLogin(store.read, clock, authorization)
    await store.write((tables) => requireOfAccount(tables, clock, caller, body.demanded))
    authenticator.forget()
  },

  verifyAccount: async ({ caller, body }) => {
    const code = body.verificationCode.trim().toUpperCase()
    const { accountId } = caller
    await store.write(async (tables) => {
      if (!(await tables.accounts.verify(accountId, hashSecret(code)))) throw new Problem('verification_code_unknown')
      await auditByUser(tables, clock, caller, 'account.verify', accountId)
    })
  },
})
