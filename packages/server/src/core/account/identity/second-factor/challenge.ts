import { randomBytes } from 'node:crypto'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import { hashSecret, operatorSubject } from '../tokens/tokens.ts'
import type { SecondFactorMethod } from '@offhook/contract/second-factor.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../caller/caller.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'
import type { Credentials } from '#core/kernel/ports/store/account.ts'

export interface ChallengeDeps {
  vault: Vault
  clock: Clock
}

export const challengeValidMs = 5 * 60_000

interface Content {
  /** Subject whose password was right. */
  subject: string
  /** Name used for the login. */
  name: string
  /** Hash of the password hash; voids the challenge after a password change. */
  password: string
  expires: number
  nonce: string
}

/** Sealed proof that a person has just entered their password. Also the challenge that a passkey signs. */
export const makeChallenge = ({ vault, clock }: ChallengeDeps, { subject, name, passwordHash }: Person): string => {
  const expires = clock.now() + challengeValidMs
  const content: Content = { subject, name, password: hashSecret(passwordHash), expires, nonce: randomBytes(16).toString('base64url') }
  return vault.seal(JSON.stringify(content))
}

/** Content of the challenge while it is valid. */
export const openChallenge = ({ vault, clock }: ChallengeDeps, challenge: string): Content | undefined => {
  try {
    const content = JSON.parse(vault.open(challenge)) as Partial<Content>
    return content.nonce !== undefined && (content.expires ?? 0) > clock.now() ? (content as Content) : undefined
  } catch {
    return undefined // not sealed by us
  }
}

export const isChallengeOf = (
  deps: ChallengeDeps,
  challenge: string,
  { subject, passwordHash }: Pick<Person, 'subject' | 'passwordHash'>,
): boolean => {
  const content = openChallenge(deps, challenge)
  return content?.subject === subject && content.password === hashSecret(passwordHash)
}

/** Second factors of a person; empty when there are none. Recovery codes alone do not count. */
export const methodsOf = async ({ secondFactors }: Tables, subject: string): Promise<SecondFactorMethod[]> => {
  const methods: SecondFactorMethod[] = []
  if ((await secondFactors.findTotp(subject))?.confirmed) methods.push('TOTP')
  if ((await secondFactors.listPasskeys(subject)).length > 0) methods.push('PASSKEY')
  if (methods.length > 0 && (await secondFactors.countRecoveryCodes(subject)) > 0) methods.push('RECOVERY_CODE')
  return methods
}

export const hasSecondFactor = async (tables: Tables, subject: string): Promise<boolean> => (await methodsOf(tables, subject)).length > 0

const setting = 'operators.second_factor'

export const operatorsNeedSecondFactor = async (tables: Tables): Promise<boolean> => (await tables.settings.get(setting)) === 'on'

/**
 * Logs out users without a second factor; they must set one up at the next login. The caller must have one, so that one administrator can still
 * log in and revert the setting.
 */
export const requireOfAccount = async (tables: Tables, clock: Clock, caller: UserCaller, demanded: boolean): Promise<void> => {
  const { accountId, userId } = caller
  await tables.accounts.lock(accountId)
  await tables.accounts.setSecondFactor(accountId, demanded)
  for (const user of demanded ? await tables.users.list(accountId) : []) {
    if (await hasSecondFactor(tables, user.subject)) continue
    if (user.id === userId) throw new Problem('second_factor_not_set')
    await tables.tokens.removeLogins({ accountId, userId: user.id })
    await tables.oidcRecords.removeBySubject(user.subject)
  }
  await auditByUser(tables, clock, caller, 'account.second_factor', accountId, { demanded })
}

export const requireOfOperators = async (tables: Tables, operatorId: string, demanded: boolean): Promise<void> => {
  const [from, to] = demanded ? ['off', 'on'] : ['on', 'off']
  if (!(await tables.settings.setOnce(setting, to))) await tables.settings.replace(setting, { from, to })
  for (const { id } of demanded ? await tables.operators.list() : []) {
    if (await hasSecondFactor(tables, operatorSubject(id))) continue
    if (id === operatorId) throw new Problem('second_factor_not_set')
    await tables.tokens.removeLogins({ operatorId: id })
  }
}

/** A user or operator whose password was right. */
export interface Person {
  subject: string
  /** Label in an authenticator app. */
  name: string
  passwordHash: string
  /** Whether the account, or the installation, requires a second factor. */
  demanded: boolean
}

export const personOfUser = async (tables: Tables, { accountId, subject, passwordHash }: Credentials, name: string): Promise<Person> => {
  const account = await tables.accounts.find(accountId)
  return { subject, name, passwordHash, demanded: account?.secondFactor ?? false }
}

export const personOfOperator = async (
  tables: Tables,
  { id, passwordHash }: { id: string; passwordHash: string },
  name: string,
): Promise<Person> => ({ subject: operatorSubject(id), name, passwordHash, demanded: await operatorsNeedSecondFactor(tables) })
