import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { authorizeUrl, Browser, consentInBrowser } from '#test/http/browser.ts'
import { databases, startWorld, type World } from '#test/world/world.ts'

const callback = 'https://app.example/callback'

const begin = async (world: World, name = 'An <app> & "more"'): Promise<{ start: URL; clientId: string }> => {
  const ada = await world.newAccount()
  const { clientId } = await ada.api.createOauthClient({}, { name, redirectUris: [callback] })
  return {
    clientId,
    start: authorizeUrl(world.url, { scope: 'account:read openid', client_id: clientId, redirect_uri: callback, state: 'x' }),
  }
}

const assertPlainPage = (page: string, headers: Headers): void => {
  const policy = headers.get('content-security-policy') ?? ''
  const style = /<style>([^]*)<\/style>/.exec(page)?.[1] ?? ''
  assert.ok(policy.includes(`'sha256-${createHash('sha256').update(style).digest('base64')}'`), 'the style is the one that is allowed')
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.match(policy, /base-uri 'none'/)
  assert.equal(headers.get('referrer-policy'), 'no-referrer')
  assert.equal(headers.get('x-frame-options'), 'DENY')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.doesNotMatch(page, /<script|\son\w+=|src=|href=|style=|@import|url\(/i)
  assert.match(page, /prefers-color-scheme:dark/)
  const ids = [...page.matchAll(/<input\s+id="(\w+)"/g)].map(([, id]) => id)
  assert.equal(ids.length, page.split('<input').length - 1)
  for (const id of ids) assert.ok(page.includes(`<label for="${id}">`), `${id} has a label`)
}

for (const database of databases) {
  test(`${database}: logs in and grants access with plain forms`, async (t) => {
    const world = await startWorld(t, { database })
    const { start, clientId } = await begin(world)
    const ada = await world.newAccount()
    const browser = new Browser('de-DE,de;q=0.9,en;q=0.5')

    const login = await browser.follow(`${start.href}&login_hint=${encodeURIComponent('"><b>@example.com')}`, world.url)
    const page = (await login.reply?.text()) ?? ''
    assert.match(page, /<html lang="de">/)
    assert.match(page, /E-Mail-Adresse/)
    assert.match(page, /value="&quot;&gt;&lt;b&gt;@example\.com"/)
    assertPlainPage(page, login.reply?.headers ?? new Headers())
    assert.match(login.reply?.headers.get('content-security-policy') ?? '', /form-action 'self' https:\/\/app\.example/)

    const wrong = await browser.submit(login.url, { email: ada.email, password: 'wrong' })
    assert.equal(wrong.status, 401)
    const again = await wrong.text()
    assert.match(again, /<p role="alert">E-Mail-Adresse oder Passwort ist falsch\.<\/p>/)
    assert.ok(again.includes(`value="${ada.email}"`), 'the address need not be typed again')
    assert.ok(!again.includes('wrong"'))
    assertPlainPage(again, wrong.headers)

    const right = await browser.submit(login.url, { email: ada.email.toUpperCase(), password: ada.password })
    assert.equal(right.status, 303)
    const consent = await browser.follow(right.headers.get('location') ?? '', world.url)
    const question = (await consent.reply?.text()) ?? ''
    assert.ok(question.includes('An &lt;app&gt; &amp; &quot;more&quot; möchte auf Ihr Konto zugreifen.'))
    assert.ok(question.includes('<code>account:read</code>'))
    assert.ok(question.includes('Nach Ihrer Antwort geht es weiter zu app.example.'))
    assertPlainPage(question, consent.reply?.headers ?? new Headers())

    const denied = await browser.submit(consent.url, { decision: 'deny' })
    const refused = await browser.follow(denied.headers.get('location') ?? '', world.url)
    assert.equal(refused.url.origin + refused.url.pathname, callback)
    assert.equal(refused.url.searchParams.get('error'), 'access_denied')
    assert.equal(refused.url.searchParams.get('state'), 'x')

    const end = await consentInBrowser(start, ada, { browser })
    assert.ok(end.searchParams.get('code'))
    const entries = await world.write((tables) => tables.audit.list(ada.accountId, { afterSeq: 0, limit: 100 }))
    assert.deepEqual(
      entries.map(({ action, target }) => [action, target]),
      [['oauth_client.consent', clientId]],
    )
    for (const cookie of browser.cookies()) assert.match(cookie, /; httponly/i)
  })
}

test('does not ask again after a consent, until another user logs in or the user is deleted', async (t) => {
  const world = await startWorld(t)
  const { start } = await begin(world)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  const browser = new Browser()
  await consentInBrowser(start, ada, { browser })
  assert.ok((await browser.follow(start, world.url)).url.searchParams.get('code'), 'no page in between')

  const asBob = await consentInBrowser(new URL(`${start.href}&prompt=login`), bob, { browser })
  assert.ok(asBob.searchParams.get('code'), 'another user can take over the browser without a script')

  await world.write((tables) => tables.users.disable(bob.accountId, bob.userId, world.clock.now()))
  const { reply } = await browser.follow(start, world.url)
  assert.match((await reply?.text()) ?? '', /name="password"/, 'a session of a user who is gone is worth nothing')
  await consentInBrowser(start, ada, { browser })
})

test('binds a running login to its browser', async (t) => {
  const world = await startWorld(t)
  const { start } = await begin(world)
  const ada = await world.newAccount()
  const mine = new Browser()
  const { url } = await mine.follow(start, world.url)
  const thief = new Browser()
  assert.equal((await thief.open(url)).status, 400)
  const post = await thief.submit(url, { email: ada.email, password: ada.password })
  assert.equal(post.status, 400)
  assert.equal(post.headers.get('location'), null)
  assertPlainPage(await post.text(), post.headers)
  const forged = { cookie: `offhook_interaction=${url.pathname.split('/').at(-1)}; offhook_interaction.sig=x` }
  assert.equal((await fetch(url, { headers: forged })).status, 400, 'the cookie is signed')

  await world.clock.advance(30 * 60 * 1000)
  assert.equal((await mine.open(url)).status, 400, 'after half an hour it is over')
  assert.equal((await mine.open(`${world.url}/login/interaction/nonsense`)).status, 400)
  const json = await mine.open(url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
  assert.equal(json.status, 415)
})

test('counts failures of the login page', async (t) => {
  const world = await startWorld(t)
  const { start } = await begin(world)
  const ada = await world.newAccount()
  const browser = new Browser()
  const { url } = await browser.follow(start, world.url)
  for (let failures = 0; failures < 5; failures++)
    assert.equal((await browser.submit(url, { email: ada.email, password: 'wrong' })).status, 401)
  const locked = await browser.submit(url, { email: ada.email, password: ada.password })
  assert.equal(locked.status, 429)
  assert.equal(locked.headers.get('retry-after'), '60')
  assert.match(await locked.text(), /<p role="alert">Too many attempts/)
  await world.clock.advance(60_000)
  assert.equal((await browser.submit(url, { email: ada.email, password: ada.password })).status, 303)
})
