import { requireRecentLogin } from '#core/account/identity/second-factor/recent-login.ts'
import { hasSecondFactor, methodsOf } from '#core/account/identity/second-factor/challenge.ts'
import { requirePasskeySite } from '#core/account/identity/second-factor/passkey-site.ts'
import { addPasskey, passkeyOptions, removePasskey, verifyNewPasskey } from '#core/account/identity/second-factor/passkeys.ts'
import { beginTotp, confirmTotp, removeTotp, renewRecoveryCodes, type Self } from '#core/account/identity/second-factor/set-up.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Passkey } from '#core/kernel/ports/store/identity.ts'
import type { NewPasskey } from '@offhook/contract/passkeys.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Static } from 'typebox'
import type { HandlerDeps } from './handler-deps.ts'

/** The caller, and the audit log of a change. */
export interface OwnFactors {
  self: Self
  authorization: string | undefined
  /** Origin of the requesting browser page, if it is our own. */
  ownPage: string | undefined
  note: (tables: Tables, action: string) => Promise<void>
}

export type SecondFactorDeps = Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'authenticator' | 'passkeyProofs' | 'installation'>

/** Actions of users and operators on their own second factor. */
export const secondFactorActions = (deps: SecondFactorDeps) => {
  const { store, clock, authenticator } = deps

  const change = async <T>({ authorization, note }: OwnFactors, action: string, work: (tables: Tables) => Promise<T>): Promise<T> => {
    await requireRecentLogin(store.read, clock, authorization)
    const result = await store.write(async (tables) => {
      const done = await work(tables)
      await note(tables, action)
      return done
    })
    authenticator.forget()
    return result
  }

  const siteOf = ({ ownPage }: OwnFactors) => requirePasskeySite(ownPage ?? deps.installation.publicUrl())

  return {
    show: async ({ subject, demanded }: Self) => ({
      methods: await methodsOf(store.read, subject),
      recoveryCodes: await store.read.secondFactors.countRecoveryCodes(subject),
      demanded,
    }),

    beginTotp: (own: OwnFactors) => change(own, 'totp.begin', (tables) => beginTotp(tables, deps, own.self)),

    confirmTotp: async (own: OwnFactors, code: string) => ({
      recoveryCodes: await change(own, 'totp.create', (tables) => confirmTotp(tables, deps, own.self, code)),
    }),

    removeTotp: (own: OwnFactors) => change(own, 'totp.delete', (tables) => removeTotp(tables, own.self)),

    listPasskeys: async ({ subject }: Self) => ({ items: (await store.read.secondFactors.listPasskeys(subject)).map(toElement) }),

    beginPasskey: (own: OwnFactors) => change(own, 'passkey.begin', (tables) => passkeyOptions(tables, deps, own.self, siteOf(own))),

    addPasskey: async (own: OwnFactors, input: Static<typeof NewPasskey>) => {
      await requireRecentLogin(store.read, clock, own.authorization)
      const passkey = await verifyNewPasskey(deps, own.self, siteOf(own), input)
      const { challenge } = input
      const recoveryCodes = await change(own, 'passkey.create', (tables) => addPasskey(tables, deps, own.self, { passkey, challenge }))
      return { ...toElement({ ...passkey, lastUsedAt: undefined }), recoveryCodes }
    },

    removePasskey: (own: OwnFactors, id: string) => change(own, 'passkey.delete', (tables) => removePasskey(tables, own.self, id)),

    renewRecoveryCodes: async (own: OwnFactors) => ({
      recoveryCodes: await change(own, 'recovery_codes.create', async (tables) => {
        if (!(await hasSecondFactor(tables, own.self.subject))) throw new Problem('second_factor_not_set')
        return renewRecoveryCodes(tables, deps, own.self)
      }),
    }),
  }
}

const toElement = ({ id, name, site, createdAt, lastUsedAt }: Passkey) => ({
  id,
  name,
  host: site,
  createdAt: new Date(createdAt).toISOString(),
  ...(lastUsedAt !== undefined && { lastUsedAt: new Date(lastUsedAt).toISOString() }),
})
