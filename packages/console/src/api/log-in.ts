import type { LoginChallenge, SecondFactorAnswer } from '@offhook/contract/second-factor.ts'
import { clientOf } from '@offhook/sdk/client-of.ts'
import { routes } from 'virtual:routes'
import { ApiError, type Client } from './client.ts'
import type { Role } from './session.ts'

interface Login extends SecondFactorAnswer {
  email: string
  password: string
}

export interface LoggedIn {
  token: string
  /** This token only allows setting up a second factor. */
  secondFactorMissing?: true | undefined
}

/** With a separate token, or none: a rejection here ends no session. */
export const clientWith = (token?: string): Client => clientOf({ baseUrl: '', token, fetch: (input, init) => fetch(input, init) }, routes)

export const logIn = (role: Role, { email, ...login }: Login): Promise<LoggedIn> =>
  role === 'operator'
    ? clientWith().createOperatorSession({}, { email, ...login })
    : clientWith().createSessionToken({}, { username: email, ...login })

/** The second-factor challenge, if that is the reason for the rejection. */
export const challengeIn = (error: unknown): LoginChallenge | undefined => {
  if (!(error instanceof ApiError)) return undefined
  const { code, challenge, methods, passkey } = error.body
  if (code !== 'second_factor_required' || challenge === undefined || methods === undefined) return undefined
  return { challenge, methods, ...(passkey && { passkey }) }
}
