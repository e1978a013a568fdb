import { markBrowser, markLifetime } from '#core/account/identity/attempts/browser-marks.ts'
import type { HandlerDeps } from './handler-deps.ts'

const cookieName = 'offhook_browser'

/** Browser marks in a Cookie header. */
export const marksIn = (cookie: string | undefined): string =>
  cookie
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${cookieName}=`))
    ?.slice(cookieName.length + 1) ?? ''

/** Set-Cookie header that marks this browser for this name, so that guesses from elsewhere do not lock it out. */
export const markCookie = (
  deps: Pick<HandlerDeps, 'vault' | 'clock' | 'installation'>,
  cookie: string | undefined,
  name: string,
): string => {
  const secure = deps.installation.publicUrl().startsWith('https:') ? '; Secure' : ''
  const marks = markBrowser(deps, marksIn(cookie), name)
  return `${cookieName}=${marks}; Path=/; Max-Age=${markLifetime}; HttpOnly; SameSite=Lax${secure}`
}
