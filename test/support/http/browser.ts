/** Minimal browser: follows redirects one by one, keeps cookies, fills in forms. No scripts. */
export class Browser {
  readonly #cookies = new Map<string, { name: string; value: string; path: string; attributes: string }>()
  readonly #language: string

  constructor(language = 'en') {
    this.#language = language
  }

  async open(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const { pathname } = new URL(url)
    const headers = { accept: 'text/html', 'accept-language': this.#language, cookie: this.#cookieHeader(pathname) }
    const reply = await fetch(url, { ...init, headers: { ...headers, ...(init.headers as Record<string, string>) }, redirect: 'manual' })
    for (const line of reply.headers.getSetCookie()) this.#keep(line)
    return reply
  }

  submit(url: string | URL, fields: Record<string, string>): Promise<Response> {
    return this.open(url, { method: 'POST', body: new URLSearchParams(fields) })
  }

  /** Follows redirects while they stay at `origin`; returns the last address. */
  async follow(url: string | URL, origin: string): Promise<{ url: URL; reply: Response | undefined }> {
    let at = new URL(url)
    for (let hops = 0; hops < 10; hops++) {
      if (at.origin !== origin) return { url: at, reply: undefined }
      const reply = await this.open(at)
      const location = reply.headers.get('location')
      if (location === null) return { url: at, reply }
      await reply.body?.cancel()
      at = new URL(location, at)
    }
    throw new Error('too many redirects')
  }

  /** Set-Cookie lines as received. */
  cookies(): string[] {
    return [...this.#cookies.values()].map(({ attributes }) => attributes)
  }

  #cookieHeader(path: string): string {
    return [...this.#cookies.values()]
      .filter((cookie) => path === cookie.path || path.startsWith(cookie.path.endsWith('/') ? cookie.path : `${cookie.path}/`))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const name = pair.slice(0, pair.indexOf('='))
    const value = pair.slice(pair.indexOf('=') + 1)
    const path = attributes.find((attribute) => attribute.toLowerCase().startsWith('path='))?.slice(5) ?? '/'
    if (value === '') this.#cookies.delete(`${name} ${path}`)
    else this.#cookies.set(`${name} ${path}`, { name, value, path, attributes: line })
  }
}

/** Authorization URL; `query` adds to or replaces the defaults. */
export const authorizeUrl = (origin: string, query: { client_id: string; redirect_uri: string } & Record<string, string>): URL => {
  const url = new URL('/v1/authorization/oauth/authorize', origin)
  url.search = new URLSearchParams({ scope: 'all', response_type: 'code', state: 'the-state', ...query }).toString()
  return url
}

export interface Visitor {
  email: string
  password: string
}

/** Logs in and allows (or denies) an application's request. Returns the final redirect address. */
export const consentInBrowser = async (
  start: URL,
  visitor: Visitor,
  { browser = new Browser(), decision = 'allow' }: { browser?: Browser; decision?: 'allow' | 'deny' } = {},
): Promise<URL> => {
  const { origin } = start
  let { url, reply } = await browser.follow(start, origin)
  for (let pages = 0; reply && pages < 5; pages++) {
    const page = await reply.text()
    if (reply.status !== 200) throw new Error(`the browser ended at ${url.pathname} with ${reply.status}: ${page}`)
    const fields = page.includes('name="password"') ? { email: visitor.email, password: visitor.password } : { decision }
    const answer = await browser.submit(url, fields)
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`the form was answered with ${answer.status}: ${await answer.text()}`)
    ;({ url, reply } = await browser.follow(new URL(location, url), origin))
  }
  return url
}
