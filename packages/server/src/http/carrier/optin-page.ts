import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findConsent, giveConsent } from '#core/account/portings/optin.ts'
import type { StoredPorting } from '#core/kernel/ports/store/number.ts'
import { text, type Locale } from '#core/kernel/translations/index.ts'
import { html, localeOf, renderPage } from '../oauth/page.ts'
import { noticePage } from '../oauth/pages.ts'
import { sendPage } from '../oauth/interaction-pages.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { portingContext } from '../handler/porting-context.ts'

const path = '/carrier/v1/optin/:secret'

/** Page of the link in the consent mail. Opening it only asks: mail scanners open links, people press buttons. */
export const mountOptinPages = (
  app: FastifyInstance,
  deps: Pick<HandlerDeps, 'store' | 'clock' | 'vault' | 'installation' | 'wake'>,
): void => {
  const { store, wake } = deps
  const context = portingContext(deps)
  const secretOf = (request: FastifyRequest): string => (request.params as { secret: string }).secret

  app.get(path, async (request, reply) => {
    const locale = localeOf(request.headers['accept-language'])
    const porting = await findConsent(store.read, context, secretOf(request))
    return porting ? sendPage(reply, questionPage(locale, porting)) : sendExpired(reply, locale)
  })

  app.post(path, async (request, reply) => {
    const locale = localeOf(request.headers['accept-language'])
    const given = await store.write((tables) => giveConsent(tables, context, secretOf(request)))
    if (!given) return sendExpired(reply, locale)
    wake()
    return sendPage(reply, noticePage(locale, text(locale, 'page.porting_optin.title'), text(locale, 'page.porting_optin.done')))
  })
}

const questionPage = (locale: Locale, { numbers, holder }: StoredPorting) =>
  renderPage({
    locale,
    title: text(locale, 'page.porting_optin.title'),
    content: html`<p>${text(locale, 'page.porting_optin.intro', { holder: holder.name })}</p>
      <ul>
        ${numbers.map(({ e164 }) => html`<li>${e164}</li>`)}
      </ul>
      <form method="post"><button class="first">${text(locale, 'page.porting_optin.submit')}</button></form>`,
  })

const sendExpired = (reply: FastifyReply, locale: Locale): FastifyReply =>
  sendPage(reply, noticePage(locale, text(locale, 'page.porting_optin.title'), text(locale, 'page.porting_optin.expired')), 404)
