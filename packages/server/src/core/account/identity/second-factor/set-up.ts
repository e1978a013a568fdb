import { Problem } from '@offhook/contract/problem.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { NewToken } from '#core/kernel/ports/store/identity.ts'
import { lifetimes } from '../tokens/tokens.ts'
import { hasSecondFactor } from './challenge.ts'
import { counterOf, newTotpSecret, totpUri } from './totp.ts'
import { createHmac, randomInt } from 'node:crypto'

interface SetUpDeps {
  vault: Vault
  clock: Clock
}

/** A person who sets up their own second factor, and the login used. */
export interface Self {
  subject: string
  /** Label in an authenticator app. */
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

/** Requires a code as proof that the app works. Returns recovery codes if it is the first second factor. */
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

/** Browser sessions of the identity provider: they count as logins. */
const browserLogins = ['Session', 'Interaction']

/** Ends all other logins, which used the password alone; the current login becomes complete. */
export const secured = async (tables: Tables, deps: SetUpDeps, self: Self): Promise<string[]> => {
  const { holder, tokenId } = self
  await tables.tokens.removeLogins(holder, tokenId)
  await tables.oidcRecords.removeBySubject(self.subject, browserLogins)
  await tables.tokens.noteSecondFactor(tokenId)
  const lifetime = 'operatorId' in holder ? lifetimes.operator : lifetimes.session
  await tables.tokens.complete(tokenId, { scopes: ['all'], expiresAt: deps.clock.now() + lifetime * 1000 })
  return renewRecoveryCodes(tables, deps, self)
}

/** Replaces all earlier codes. The new ones are shown once. */
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

/** Rejects removing the last factor while one is required; removes the recovery codes with the last one. */
export const leaveInOrder = async (tables: Tables, { subject, demanded }: Self): Promise<void> => {
  if (await hasSecondFactor(tables, subject)) return
  if (demanded) throw new Problem('second_factor_demanded')
  await tables.secondFactors.setRecoveryCodes(subject, [])
}

const count = 10
const length = 10
/** Without characters that look alike on paper. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyz'

/** Two groups of five characters, which are easier to copy. */
const newRecoveryCodes = (): string[] =>
  Array.from({ length: count }, () => {
    const code = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
    return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`
  })

/** Codes are short, so a plain hash could be brute-forced with a copy of the database; this one needs the vault's key as well. */
export const recoveryHash = (vault: Vault, subject: string, code: string): string =>
  createHmac('sha256', vault.derive('recovery codes'))
    .update(`${subject}\n${code.toLowerCase().replaceAll(/[\s-]/g, '')}`)
    .digest('base64url')
