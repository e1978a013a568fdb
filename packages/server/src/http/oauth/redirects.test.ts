import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizeUrl, Browser } from '#test/http/browser.ts'
import { startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const registered = 'https://app.example/callback'

/** Variants of an address that nearly match the registered one or fool a careless comparison. */
const foreign = [
  'https://evil.example/callback',
  'https://evil.example',
  '//evil.example/callback',
  '///evil.example/callback',
  '////evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'https:evil.example',
  'https:/evil.example',
  'https:///evil.example',
  'https:\\\\evil.example',
  'http://app.example/callback',
  'HTTPS://app.example/callback',
  'https://APP.example/callback',
  'https://app.example:443/callback',
  'https://app.example:8443/callback',
  'https://app.example/Callback',
  'https://app.example/callback/',
  'https://app.example/callback?',
  'https://app.example/callback?x=1',
  'https://app.example/callback?redirect=https://evil.example',
  'https://app.example/callback#',
  'https://app.example/callback#fragment',
  'https://app.example/callback%00',
  'https://app.example/callback%2f',
  'https://app.example/callback%20',
  'https://app.example/callback ',
  ' https://app.example/callback',
  'https://app.example/callback\t',
  'https://app.example/callback\n',
  'https://app.example/call\rback',
  'https://app.example/callback;x',
  'https://app.example/callback/../evil',
  'https://app.example/./callback',
  'https://app.example//callback',
  'https://app.example/%63allback',
  'https://app.example/callback/..;/',
  'https://app.example',
  'https://app.example/',
  'https://app.example.evil.example/callback',
  'https://app.example.evil/callback',
  'https://evil-app.example/callback',
  'https://sub.app.example/callback',
  'https://app.example@evil.example/callback',
  'https://app.example%40evil.example/callback',
  'https://app.example:x@evil.example/callback',
  'https://user@app.example/callback',
  'https://user:password@app.example/callback',
  'https://evil.example/https://app.example/callback',
  'https://evil.example?https://app.example/callback',
  'https://evil.example#https://app.example/callback',
  'https://evil.example\\@app.example/callback',
  'https://evil.example%5c@app.example/callback',
  'https://app.example%2eevil.example/callback',
  'https://app.example%00.evil.example/callback',
  'https://app.example\u0000.evil.example/callback',
  'https://app。example/callback',
  'https://аpp.example/callback',
  'https://app.examplе/callback',
  'https://xn--pp-6kc.example/callback',
  'https://app.example./callback',
  'https://[::1]/callback',
  'https://127.0.0.1/callback',
  'http://127.0.0.1/callback',
  'http://localhost/callback',
  'https://2130706433/callback',
  'https://0x7f000001/callback',
  'javascript:alert(1)',
  'javascript://app.example/callback%0aalert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'ftp://app.example/callback',
  'ws://app.example/callback',
  'app.example/callback',
  'callback',
  '/callback',
  '.',
  '?',
  '#',
  'about:blank',
  'blob:https://app.example/callback',
  'com.example.app:/callback',
  'https://app.example/callback,https://evil.example',
  'https://app.example/callback https://evil.example',
  'null',
  'undefined',
  '*',
  'https://*.example/callback',
  'https://app.example/callback\u202e',
  '\ufeffhttps://app.example/callback',
  'https://app.example/callback\ud800',
  'x'.repeat(5000),
]

test('never redirects to an address that is not registered exactly', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { clientId } = await ada.api.createOauthClient({}, { name: 'An app', redirectUris: [registered] })
  const good = { client_id: clientId, redirect_uri: registered }
  assert.ok(foreign.length >= 60)
  const browser = new Browser()
  for (const redirect_uri of foreign) {
    // Also with mistakes that would be reported to a registered address.
    for (const mistake of [{}, { response_type: 'token' }, { scope: 'nonsense' }, { prompt: 'none' }, { code_challenge_method: 'plain' }]) {
      const reply = await browser.open(authorizeUrl(world.url, { ...good, ...mistake, redirect_uri }))
      assert.equal(reply.status, 400, redirect_uri)
      assert.equal(reply.headers.get('location'), null, redirect_uri)
      const page = await reply.text()
      assert.doesNotMatch(page, /<script|http-equiv|href=/i)
    }
  }
  for (const doubled of [`&redirect_uri=${encodeURIComponent('https://evil.example/')}`, '&redirect_uri=', `&client_id=other`]) {
    const reply = await browser.open(authorizeUrl(world.url, good).href + doubled)
    assert.equal(reply.headers.get('location'), null, doubled)
    assert.equal(reply.status, 400)
  }
  assert.equal((await browser.open(authorizeUrl(world.url, { ...good, client_id: 'nobody' }))).status, 400)
  assert.equal((await browser.open(authorizeUrl(world.url, { ...good, client_id: 'a\0b' }))).status, 400)
  const without = authorizeUrl(world.url, good)
  without.searchParams.delete('redirect_uri')
  assert.equal((await browser.open(without)).status, 400, 'also the only registered one must be named')
  assert.equal((await browser.open(authorizeUrl(world.url, good))).status, 303)
})

test('rejects authorization of a client without a redirect URI', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { clientId } = await ada.api.createOauthClient({}, { name: 'An app' })
  const authorize = () => fetch(authorizeUrl(world.url, { client_id: clientId, redirect_uri: registered }), { redirect: 'manual' })
  const refused = await authorize()
  assert.equal(refused.status, 400)
  assert.match(await refused.text(), /PUT \/v1\/authorization\/oauth\/clients\/\{clientId\}/)
  await ada.api.updateOauthClient({ clientId }, { redirectUris: [registered] })
  assert.equal((await authorize()).status, 303)
  await ada.api.updateOauthClient({ clientId }, { redirectUris: [] })
  assert.equal((await authorize()).status, 400)
})

test('reports an error to a registered address with state and issuer', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { clientId } = await ada.api.createOauthClient({}, { name: 'An app', redirectUris: [`${registered}?keep=1`] })
  const query = { client_id: clientId, redirect_uri: `${registered}?keep=1`, prompt: 'none', state: 'ä&b=c' }
  const reply = await fetch(authorizeUrl(world.url, query), { redirect: 'manual' })
  assert.equal(reply.status, 303)
  const { searchParams, origin, pathname } = new URL(reply.headers.get('location') ?? '')
  assert.equal(origin + pathname, registered)
  assert.equal(searchParams.get('keep'), '1')
  assert.equal(searchParams.get('error'), 'login_required')
  assert.equal(searchParams.get('state'), 'ä&b=c')
  assert.equal(searchParams.get('iss'), world.url)
})

test('rejects wildcards in redirect URIs wherever they are saved', async (t) => {
  const world = await startWorld(t)
  const { api } = await world.newAccount()
  const { clientId } = await api.createOauthClient({}, { name: 'An app', redirectUris: [registered] })
  const wildcards = [
    'https://*.app.example/callback',
    'https://app.example/*',
    'https://app.example/callback?x=*',
    'https://app.example/%2A',
  ]
  for (const uri of wildcards) {
    const refused = withCode('parameter_invalid')
    await assert.rejects(api.createOauthClient({}, { name: 'Other', redirectUris: [uri] }), refused, uri)
    await assert.rejects(api.updateOauthClient({ clientId }, { redirectUris: [registered, uri] }), refused, uri)
    const reply = await fetch(`${world.url}/v1/authorization/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [uri], token_endpoint_auth_method: 'none' }),
    })
    assert.equal(reply.status, 400, uri)
    assert.match(await reply.text(), /wildcard/)
  }
})
