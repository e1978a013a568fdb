import { text, type Locale } from '#core/kernel/translations/index.ts'
import { html, renderPage, type Markup, type Page } from './page.ts'

type Rendered = ReturnType<typeof renderPage>

const alert = (problem: string | undefined): Markup | undefined =>
  problem === undefined ? undefined : html`<p role="alert">${problem}</p>`

interface LoginPage extends Pick<Page, 'locale' | 'formTarget'> {
  email: string
  problem?: string
}

export const loginPage = ({ locale, email, problem, formTarget }: LoginPage): Rendered => {
  const focus = { markup: ' autofocus' }
  return renderPage({
    locale,
    formTarget,
    title: text(locale, 'page.login.title'),
    content: html`${alert(problem)}
      <form method="post">
        <label for="email">${text(locale, 'page.login.email')}</label>
        <input
          id="email"
          name="email"
          type="email"
          autocomplete="username"
          required
          maxlength="254"
          value="${email}"
          ${email === '' ? focus : undefined}
        />
        <label for="password">${text(locale, 'page.login.password')}</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          maxlength="1024"
          ${email === '' ? undefined : focus}
        />
        <button class="first">${text(locale, 'page.login.submit')}</button>
        <button name="signOn" value="1" formnovalidate>${text(locale, 'page.login.sign_on')}</button>
      </form>`,
  })
}

/** Leads on to the identity provider by itself; the link is for browsers that do not. */
export const signOnPage = (locale: Locale, target: string): Rendered =>
  renderPage({
    locale,
    title: text(locale, 'page.login.title'),
    content: html`<p><a href="${target}">${text(locale, 'page.login.sign_on')}</a></p>`,
  })

interface CodePage extends Pick<Page, 'locale' | 'formTarget'> {
  challenge: string
  /** Whether the user has an authenticator app; otherwise only recovery codes work here. */
  hasApp: boolean
  problem?: string
}

/** Asks for the second factor. The button carries the challenge that replaces the password. */
export const codePage = ({ locale, challenge, hasApp, problem, formTarget }: CodePage): Rendered =>
  renderPage({
    locale,
    formTarget,
    title: text(locale, 'page.code.title'),
    content: html`${alert(problem)}
      <form method="post">
        <label for="code">${text(locale, hasApp ? 'page.code.label' : 'page.code.passkeys_label')}</label>
        <input id="code" name="code" autocomplete="one-time-code" autocapitalize="none" required maxlength="64" autofocus />
        <button class="first" name="challenge" value="${challenge}">${text(locale, 'page.login.submit')}</button>
      </form>
      <small>${text(locale, hasApp ? 'page.code.hint' : 'page.code.passkeys')}</small>`,
  })

interface ConsentPage extends Pick<Page, 'locale' | 'formTarget'> {
  client: string
  /** Host of the redirect target: a client name can be anything, the host cannot. */
  host: string
  scopes: readonly string[]
}

const describedScopes = ['all', 'profile', 'email'] as const

const isDescribed = (scope: string): scope is (typeof describedScopes)[number] => (describedScopes as readonly string[]).includes(scope)

export const consentPage = ({ locale, client, host, scopes, formTarget }: ConsentPage): Rendered => {
  const item = (scope: string): Markup =>
    isDescribed(scope) ? html`<li>${text(locale, `page.consent.${scope}`)}</li>` : html`<li><code>${scope}</code></li>`
  return renderPage({
    locale,
    formTarget,
    title: text(locale, 'page.consent.title'),
    content: html`<p>${text(locale, 'page.consent.intro', { client })}</p>
      <p id="scopes">${text(locale, 'page.consent.scope')}</p>
      <ul aria-labelledby="scopes">
        ${scopes.map(item)}
      </ul>
      <small>${text(locale, 'page.consent.target', { host })}</small>
      <form class="choice" method="post">
        <button class="first" name="decision" value="allow">${text(locale, 'page.consent.allow')}</button>
        <button name="decision" value="deny">${text(locale, 'page.consent.deny')}</button>
      </form>`,
  })
}

export const resetPage = (locale: Locale, problem?: string): Rendered =>
  renderPage({
    locale,
    title: text(locale, 'page.reset.title'),
    content: html`${alert(problem)}
      <form method="post">
        <label for="password">${text(locale, 'page.reset.password')}</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="new-password"
          required
          minlength="12"
          maxlength="1024"
          autofocus
        />
        <label for="repeat">${text(locale, 'page.reset.repeat')}</label>
        <input id="repeat" name="passwordRepeat" type="password" autocomplete="new-password" required minlength="12" maxlength="1024" />
        <button class="first">${text(locale, 'page.reset.submit')}</button>
      </form>`,
  })

/** A page with a notice only. */
export const noticePage = (locale: Locale, title: string, words: string): Rendered =>
  renderPage({ locale, title, content: html`<p>${words}</p>` })

/** Error page for an invalid request of an application. */
export const errorPage = (locale: Locale, { error, description }: { error: string; description: string | undefined }): Rendered =>
  renderPage({
    locale,
    title: text(locale, 'page.error.title'),
    content: html`<p>${text(locale, 'page.error.text')}</p>
      <p><code>${error}${description === undefined ? undefined : `: ${description}`}</code></p>`,
  })
