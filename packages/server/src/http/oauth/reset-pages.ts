import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '@offhook/contract/problem.ts'
import { isOpenReset, resetPassword } from '#core/account/identity/passwords/password-reset.ts'
import { text, type Locale } from '#core/kernel/translations/index.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'
import { localeOf } from './page.ts'
import { noticePage, resetPage } from './pages.ts'
import { sendPage } from './send-page.ts'

const path = '/login/reset/:nonce'

/** Where the link in the mail leads. The same rules as `POST /v1/passwordreset/{nonce}`, for people. */
export const mountResetPages = (
  app: FastifyInstance,
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'passwords' | 'authenticator'>,
): void => {
  const nonceOf = (request: FastifyRequest): string => (request.params as { nonce: string }).nonce

  app.get(path, async (request, reply) => {
    const locale = localeOf(request.headers['accept-language'])
    return (await isOpenReset(deps, nonceOf(request))) ? sendPage(reply, resetPage(locale)) : sendExpired(reply, locale)
  })

  app.post(path, async (request, reply) => {
    const locale = localeOf(request.headers['accept-language'])
    const { password = '', passwordRepeat = '' } = (request.body ?? {}) as Record<string, string>
    try {
      await resetPassword(deps, nonceOf(request), { password, passwordRepeat })
    } catch (error) {
      if (error instanceof Problem) return sendProblemPage(reply, locale, error)
      throw error
    }
    deps.authenticator.forget()
    return sendPage(reply, noticePage(locale, text(locale, 'page.reset.title'), text(locale, 'page.reset.done')))
  })
}

const sendProblemPage = (reply: FastifyReply, locale: Locale, { code, status, details }: Problem): FastifyReply => {
  if (code === 'reset_nonce_unknown') return sendExpired(reply, locale)
  const key = details?.[0]?.field === 'passwordRepeat' ? 'page.reset.mismatch' : 'page.reset.weak'
  return sendPage(reply, resetPage(locale, text(locale, key)), status)
}

const sendExpired = (reply: FastifyReply, locale: Locale): FastifyReply =>
  sendPage(reply, noticePage(locale, text(locale, 'page.reset.title'), text(locale, 'page.reset.expired')), 404)
