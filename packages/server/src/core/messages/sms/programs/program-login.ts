import { Problem } from '@offhook/contract/problem.ts'
import { takeAttempt } from '#core/account/identity/attempts/attempt-limits.ts'
import type { LoginDeps } from '#core/account/identity/login/log-in.ts'
import { randomCharacters } from '#core/account/identity/tokens/tokens.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import type { ProgramLogin } from '#core/kernel/ports/store/message.ts'

/** Maximum password length of SMPP; guesses are rate-limited instead. */
const passwordLength = 8

/** An authenticated customer program. */
export interface Program {
  accountId: string
  smsId: string
  systemId: string
  /** Hash of the password used for the login. */
  hash: string
}

interface Input {
  accountId: string
  smsId: string
  actor: string
}

/** Replaces an earlier login. Returns the password, which is shown only once. */
export const createProgramLogin = async (
  { store, clock, passwords }: LoginDeps,
  { accountId, smsId, actor }: Input,
): Promise<{ login: ProgramLogin; password: string }> => {
  const password = randomCharacters(passwordLength)
  const login = { accountId, smsId, systemId: `${accountId}${smsId}`, hash: await passwords.hash(password), createdAt: clock.now() }
  await store.write(async (tables) => {
    if (!(await tables.smsLines.find(accountId, smsId))) throw new Problem('sms_not_found')
    await tables.programs.setLogin(login)
    await tables.audit.append(accountId, { at: clock.now(), actor, action: 'sms.smpplogin.create', target: smsId, detail: {} })
  })
  return { login, password }
}

export const removeProgramLogin = async (tables: Tables, { accountId, smsId, actor }: Input, at: number): Promise<void> => {
  if (!(await tables.programs.removeLogin(accountId, smsId))) throw new Problem('smpp_login_not_found')
  await tables.audit.append(accountId, { at, actor, action: 'sms.smpplogin.delete', target: smsId, detail: {} })
}

/** Same duration and same answer for a wrong password and an unknown name. */
export const admitProgram = async (
  { store, clock, passwords }: LoginDeps,
  { systemId, password, ip }: { systemId: string; password: string; ip: string },
): Promise<Program> => {
  const attempt = await store.write((tables) => takeAttempt(tables, clock, { kind: 'program', name: systemId, ip }))
  const login = await store.read.programs.findBySystemId(systemId)
  const matches = await passwords.matches(password, login?.hash)
  if (!login || !matches || !(await isAdmitted(store, login))) throw new Problem('invalid_credentials')
  await store.write((tables) => tables.attempts.forgive(attempt))
  return login
}

/** Whether its login still exists unchanged, and so does its extension. */
export const isAdmitted = async ({ read }: Store, { accountId, smsId, hash }: Program): Promise<boolean> => {
  const [login, sms, account] = await Promise.all([
    read.programs.findLogin(accountId, smsId),
    read.smsLines.find(accountId, smsId),
    read.accounts.find(accountId),
  ])
  return login?.hash === hash && sms !== undefined && account !== undefined
}
