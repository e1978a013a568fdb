import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { authorizeUrl, Browser, consentInBrowser } from '#test/http/browser.ts'
import { startWorld } from '#test/world/world.ts'

/** All values of all tables as text. */
const contentOf = (file: string): string => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const names = database.prepare(`select name from sqlite_master where type = 'table'`).all() as { name: string }[]
    return JSON.stringify(names.map(({ name }) => database.prepare(`select * from "${name}"`).all()))
  } finally {
    database.close()
  }
}

test('stores no usable credentials in the database', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const redirect_uri = 'https://app.example/callback'
  const { clientId: client_id, clientSecret: client_secret } = await ada.api.createOauthClient(
    {},
    { name: 'x', redirectUris: [redirect_uri] },
  )
  const personal = await ada.api.createPersonalToken({}, { name: 'x' })
  const { token: session } = await world.client().createSessionToken({}, { username: ada.email, password: ada.password })
  const login = await world.client().logIn({}, { client_id: 'ours', grant_type: 'password', username: ada.email, password: ada.password })

  const browser = new Browser()
  const unused = (await consentInBrowser(authorizeUrl(world.url, { client_id, redirect_uri }), ada, { browser })).searchParams.get('code')
  const code =
    (await consentInBrowser(authorizeUrl(world.url, { client_id, redirect_uri }), ada, { browser })).searchParams.get('code') ?? ''
  const grant = { grant_type: 'authorization_code' as const, client_id, client_secret, code, redirect_uri }
  const tokens = await world.client().exchangeToken({}, grant)
  const running = await new Browser().follow(authorizeUrl(world.url, { client_id, redirect_uri }), world.url)
  const cookies = browser.cookies().map((line) => /=([^;]+)/.exec(line)?.[1] ?? '')
  assert.ok(cookies.length > 0)

  const secrets = {
    client_secret,
    personal: personal.token,
    session,
    access: login.token,
    refresh: login.refresh_token,
    code,
    unused,
    oauthAccess: tokens.access_token,
    oauthRefresh: tokens.refresh_token,
    password: ada.password,
    interaction: running.url.pathname.split('/').at(-1),
  }
  const content = contentOf(join(world.data, 'offhook.db'))
  assert.ok(content.includes(client_id), 'the test looks into the right file')
  for (const [name, secret] of [...Object.entries(secrets), ...cookies.map((cookie) => ['cookie', cookie])]) {
    assert.ok(secret !== undefined && secret !== null && secret.length > 8, name ?? '')
    assert.ok(!content.includes(secret), `${name} is in the database`)
  }
})
