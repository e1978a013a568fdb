import { Problem } from '@offhook/contract/problem.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Passwords } from '#core/kernel/ports/account.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { Credentials } from '#core/kernel/ports/store/account.ts'
import { takeAttempt } from '../attempts/attempt-limits.ts'
import { requirePasswordAllowed } from '../single-sign-on/enforcement.ts'
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
  /** Browser marks from the request; empty if there are none. */
  marks: string
}

/** Returns the user with this name and password. Same duration and same answer for a wrong password and an unknown name. */
export const verifyUser = async (deps: PersonLoginDeps, login: Login): Promise<Credentials> => {
  const credentials = await verify(deps, login, () => deps.store.read.users.findCredentials(login.username))
  await requirePasswordAllowed(deps.store, deps.clock, credentials)
  return credentials
}

export const verifyOperator = (deps: PersonLoginDeps, login: Login): Promise<{ id: string; passwordHash: string }> =>
  verify(deps, login, () => deps.store.read.operators.findCredentials(login.username))

/**
 * Call in the transaction that issues the credentials. Checking a password takes a while; a login with the old password must not
 * slip in after the change that was to lock it out.
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
