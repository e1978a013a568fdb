import { openLogin, type BegunLogin } from '#core/account/identity/single-sign-on/tickets.ts'
import type { HandlerDeps } from './handler-deps.ts'

const cookieName = 'offhook_sign_on'

/** Keeps a begun login in this browser; without one the cookie goes. */
export const loginCookie = ({ installation }: Pick<HandlerDeps, 'installation'>, sealed: string | undefined): string => {
  const secure = installation.publicUrl().startsWith('https:') ? '; Secure' : ''
  return `${cookieName}=${sealed ?? ''}; Path=/; Max-Age=${sealed === undefined ? 0 : 600}; HttpOnly; SameSite=Lax${secure}`
}

/** The login that this browser has begun. */
export const loginIn = (deps: Pick<HandlerDeps, 'clock' | 'vault'>, cookie: string | undefined): BegunLogin | undefined => {
  const pair = cookie
    ?.split(';')
    .map((one) => one.trim())
    .find((one) => one.startsWith(`${cookieName}=`))
  return pair === undefined ? undefined : openLogin(deps, pair.slice(cookieName.length + 1))
}
