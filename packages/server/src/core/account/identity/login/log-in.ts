import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Passwords } from '#core/kernel/ports/identity/passwords.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Credentials } from '#core/kernel/ports/store/account/users.ts'
import type { Vault } from '#core/kernel/ports/vault.ts'
import { takeAttempt } from '../attempts/attempt-limits.ts'
import { knownBrowser } from '../attempts/browser-marks.ts'

export interface LoginDeps {
  store: Store
  clock: Clock
  passwords: Passwords
}

type PersonLoginDeps = LoginDeps & { vault: Vault }

export interface Login {
  username: string
  password: string
  ip: string
  /** What the browser brought, if it was one. */
  marks: string
}

/** The user with this name and password. Takes the same time, and gives the same answer, for a wrong password and an unknown name. */
export const verifyUser = (deps: PersonLoginDeps, login: Login): Promise<Credentials> =>
  verify(deps, login, () => deps.store.read.users.findCredentials(login.username))

export const verifyOperator = (deps: PersonLoginDeps, login: Login): Promise<{ id: string; passwordHash: string }> =>
  verify(deps, login, () => deps.store.read.operators.findCredentials(login.username))

/**
 * To be called in the transaction that gives out what was asked for. Checking a password takes a while; a login with an old one must not
 * slip in after the change that was to lock them out.
 */
export const requireStillValid = async (tables: Tables, { accountId, userId, passwordHash }: Credentials): Promise<void> => {
  const now = await tables.users.hold(accountId, userId)
  if (now?.passwordHash !== passwordHash) throw new Problem('invalid_credentials')
}

const verify = async <C extends { passwordHash: string }>(
  deps: PersonLoginDeps,
  { username, password, ip, marks }: Login,
  find: () => Promise<C | undefined>,
): Promise<C> => {
  const { store, clock, passwords } = deps
  const browser = knownBrowser(deps, marks, username)
  const attempt = await store.write((tables) => takeAttempt(tables, clock, { kind: 'login', name: username, ip, browser }))
  const credentials = await find()
  const matches = await passwords.matches(password, credentials?.passwordHash)
  if (!credentials || !matches) throw new Problem('invalid_credentials')
  await store.write((tables) => tables.attempts.forgive(attempt))
  return credentials
}
