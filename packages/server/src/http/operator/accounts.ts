import { features, type operatorAccountOperations } from '@offhook/contract/operator/accounts.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { productTypes } from '@offhook/contract/v1/account.ts'
import { closeAccount } from '#core/account/accounts/close-account.ts'
import { createAccount, createUser, sendVerificationCode } from '#core/account/accounts/create-account.ts'
import { requireTariff } from '#core/account/accounts/demand-tariff.ts'
import { retentionOf } from '#core/account/retention/retention.ts'
import { auditedWrite } from '#core/kernel/audit/audit.ts'
import { refuseGuessable } from '#core/account/identity/passwords/good-password.ts'
import { randomCharacters } from '#core/account/identity/tokens/tokens.ts'
import type { Account, Feature } from '#core/kernel/ports/store/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

export const operatorAccountHandlers = (
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'passwords' | 'authenticator' | 'cleanups' | 'wake' | 'installation'>,
): Handlers<typeof operatorAccountOperations> => {
  const { store, clock, passwords, authenticator, wake, installation } = deps
  return {
    listAccounts: async ({ query: { after = '', limit = 100, offset = 0, search = '', ids } }) => {
      const accounts = await store.read.accounts.list({ after, limit, offset, search: search.trim(), ids: ids?.split(',') })
      return { items: accounts.map(toReply) }
    },

    createAccount: async ({ caller, body: { admin, locale = 'en_US', ...body } }) => {
      if (admin.password !== undefined) refuseGuessable(admin.password, admin.email)
      const password = admin.password ?? randomCharacters(20)
      const passwordHash = await passwords.hash(password)
      const { country, currency } = installation
      const input = { country, currency, ...body, locale }
      const note = ({ id }: { id: string }) => ({ chain: id, action: 'account.create', target: id, detail: { company: input.company } })
      const created = await auditedWrite(store, clock, caller, note, async (tables) => {
        if (input.tariffId !== undefined) await requireTariff(tables, input.tariffId, input.currency)
        const id = await createAccount(tables, clock, input)
        const { email, firstname, lastname } = admin
        const adminUserId = await createUser(tables, clock, id, { email, passwordHash, firstname, lastname, admin: true, locale })
        await sendVerificationCode(tables, deps, id, email)
        return { id, adminUserId }
      })
      wake()
      return { ...created, ...(admin.password === undefined && { password }) }
    },

    readAccount: async ({ params }) => toReply(await requireAccount(store.read, params.accountId)),

    updateAccount: async ({ caller, params: { accountId }, body }) => {
      const note = { chain: accountId, action: 'account.update', target: accountId, detail: body }
      await auditedWrite(store, clock, caller, note, async (tables) => {
        await requireAccount(tables, accountId)
        const balance = await tables.balances.find(accountId)
        if (body.tariffId !== undefined && balance) await requireTariff(tables, body.tariffId, balance.currency)
        await tables.accounts.update(accountId, body)
      })
    },

    closeAccount: async ({ caller, params: { accountId } }) => {
      const note = { chain: accountId, action: 'account.close', target: accountId }
      await auditedWrite(store, clock, caller, note, (tables) => closeAccount(tables, deps, accountId))
      authenticator.forget()
    },

    listAccountFeatures: async ({ params }) => {
      await requireAccount(store.read, params.accountId)
      return { items: await store.read.accounts.features(params.accountId) }
    },

    bookAccountFeature: async ({ caller, params: { accountId, feature } }) => {
      const known = requireFeature(feature)
      const note = { chain: accountId, action: 'feature.book', target: known }
      await auditedWrite(store, clock, caller, note, async (tables) => {
        await requireAccount(tables, accountId)
        await tables.accounts.bookFeature(accountId, known, clock.now())
      })
    },

    cancelAccountFeature: async ({ caller, params: { accountId, feature } }) => {
      const known = requireFeature(feature)
      const note = { chain: accountId, action: 'feature.cancel', target: known }
      await auditedWrite(store, clock, caller, note, async (tables) => {
        await requireAccount(tables, accountId)
        await tables.accounts.cancelFeature(accountId, known)
      })
    },

    readAccountOutbound: async ({ params: { accountId } }) => {
      const { outboundEnabled } = await requireAccount(store.read, accountId)
      const reviews = await store.read.accounts.outboundReviews(accountId)
      return { enabled: outboundEnabled, reviews: reviews.map((review) => ({ ...review, at: new Date(review.at).toISOString() })) }
    },

    reviewAccountOutbound: async ({ caller, params: { accountId }, body }) => {
      const note = { chain: accountId, action: body.enabled ? 'outbound.enable' : 'outbound.disable', target: accountId, detail: body }
      await auditedWrite(store, clock, caller, note, async (tables) => {
        await requireAccount(tables, accountId)
        await tables.accounts.reviewOutbound(accountId, { ...body, at: clock.now() })
      })
    },

    readAccountRetention: async ({ params: { accountId } }) => {
      await requireAccount(store.read, accountId)
      return retentionOf(store.read, installation.retention, accountId)
    },

    sendAccountVerification: async ({ caller, params: { accountId } }) => {
      const note = { chain: accountId, action: 'account.send_verification', target: accountId }
      await auditedWrite(store, clock, caller, note, async (tables) => {
        const { verified } = await requireAccount(tables, accountId)
        if (verified) throw new Problem('conflict', 'The account is already verified.')
        const holder = (await tables.users.list(accountId)).find(({ admin }) => admin)
        if (!holder) throw new Problem('conflict', 'The account has no administrator to send a code to.')
        await sendVerificationCode(tables, deps, accountId, holder.email)
      })
      wake()
    },
  }
}

const requireAccount = async (tables: Tables, accountId: string): Promise<Account> => {
  const account = await tables.accounts.find(accountId)
  if (!account) throw new Problem('account_not_found')
  return account
}

const requireFeature = (name: string): Feature => {
  const feature = features.find((known) => known === name)
  if (!feature) throw new Problem('feature_not_found', `There is no feature with this name; there are ${features.join(', ')}.`)
  return feature
}

const toReply = (account: Account) => ({
  id: account.id,
  company: account.company,
  mainProductType: account.mainProductType as (typeof productTypes)[number],
  logoUrl: account.logoUrl,
  verified: account.verified,
  domain: account.domain,
  locale: account.locale,
  country: account.country,
  ...(account.tariffId !== undefined && { tariffId: account.tariffId }),
  outboundEnabled: account.outboundEnabled,
  createdAt: new Date(account.createdAt).toISOString(),
})
