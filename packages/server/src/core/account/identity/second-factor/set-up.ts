import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { NewToken } from '#core/kernel/ports/store/identity/tokens.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { lifetimes } from '../tokens/tokens.ts'
import { hasSecondFactor } from './methods.ts'
import { newRecoveryCodes, recoveryHash } from './recovery-codes.ts'
import { counterOf, newTotpSecret, totpUri } from './totp.ts'

export interface SetUpDeps {
  vault: Vault
  clock: Clock
}

/** Who sets up their own second factor, and with which login. */
export interface Self {
  subject: string
  /** As they are called in an authenticator app. */
  name: string
  demanded: boolean
  holder: NewToken['holder']
  tokenId: string
}

export const beginTotp = async (
  tables: Tables,
  { vault, clock }: SetUpDeps,
  { subject, name }: Self,
): Promise<{ secret: string; uri: string }> => {
  if ((await tables.secondFactors.findTotp(subject))?.confirmed)
    throw new Problem('already_exists', 'There is already an authenticator app.')
  const secret = newTotpSecret()
  await tables.secondFactors.beginTotp(subject, vault.seal(secret), clock.now())
  return { secret, uri: totpUri(secret, name) }
}

/** Only who has shown a code has an app that works. Gives recovery codes if it is the first second factor. */
export const confirmTotp = async (tables: Tables, deps: SetUpDeps, self: Self, code: string): Promise<string[]> => {
  const { vault, clock } = deps
  const totp = await tables.secondFactors.findTotp(self.subject)
  if (!totp || totp.confirmed) throw new Problem('conflict', 'No authenticator app is waiting for its first code.')
  const counter = counterOf(vault.open(totp.secretSealed), code.replaceAll(/\s/g, ''), clock.now())
  if (counter === undefined) throw new Problem('code_wrong')
  const first = !(await hasSecondFactor(tables, self.subject))
  if (!(await tables.secondFactors.confirmTotp(self.subject, counter, clock.now()))) throw new Problem('conflict')
  return first ? secured(tables, deps, self) : []
}

/** Whatever was logged in with the password alone ends; the login that did it is complete. */
export const secured = async (tables: Tables, deps: SetUpDeps, self: Self): Promise<string[]> => {
  const { holder, tokenId } = self
  await tables.tokens.removeLogins(holder, tokenId)
  const lifetime = 'operatorId' in holder ? lifetimes.operator : lifetimes.session
  await tables.tokens.complete(tokenId, { scopes: ['all'], expiresAt: deps.clock.now() + lifetime * 1000 })
  return renewRecoveryCodes(tables, deps, self)
}

/** In the place of all earlier ones. They cannot be read again. */
export const renewRecoveryCodes = async (tables: Tables, { vault }: SetUpDeps, { subject }: Self): Promise<string[]> => {
  const codes = newRecoveryCodes()
  await tables.secondFactors.setRecoveryCodes(
    subject,
    codes.map((code) => recoveryHash(vault, subject, code)),
  )
  return codes
}

export const removeTotp = async (tables: Tables, self: Self): Promise<void> => {
  if (!(await tables.secondFactors.removeTotp(self.subject))) throw new Problem('not_found', 'There is no authenticator app.')
  await leaveInOrder(tables, self)
}

/** The last one cannot go where one is demanded; recovery codes go with the last one. */
export const leaveInOrder = async (tables: Tables, { subject, demanded }: Self): Promise<void> => {
  if (await hasSecondFactor(tables, subject)) return
  if (demanded) throw new Problem('second_factor_demanded')
  await tables.secondFactors.setRecoveryCodes(subject, [])
}
