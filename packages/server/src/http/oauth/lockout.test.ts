import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiError } from '@offhook/sdk/client-of.ts'
import { authorizeUrl, Browser, consentInBrowser } from '#test/http/browser.ts'
import { databases, startWorld } from '#test/world/world.ts'
import { hashSecret } from '#core/account/identity/tokens/tokens.ts'
import type { Passwords } from '#core/kernel/ports/account.ts'

const redirect_uri = 'https://app.example/cb'

/** Password checks that can be suspended, as on a slow machine. */
const slowPasswords = () => {
  let meanwhile = async (): Promise<void> => {}
  const passwords: Passwords = {
    hash: async (password) => `hash of ${password}`,
    matches: async (password, hash) => {
      await meanwhile()
      return hash === `hash of ${password}`
    },
  }
  return { passwords, duringCheck: (work: () => Promise<void>) => void (meanwhile = work) }
}

for (const database of databases) {
  test(`${database}: rejects a login with the old password when it changes during the check`, async (t) => {
    const { passwords, duringCheck } = slowPasswords()
    const world = await startWorld(t, { database, replaced: { passwords } })
    const operator = await world.operator()
    const { accountId, userId, email, password } = await world.newAccount()
    const logins = [
      () => world.client().createSessionToken({}, { username: email, password }),
      () => world.client().logIn({}, { client_id: 'x', grant_type: 'password', username: email, password }),
    ]
    for (const logIn of logins) {
      duringCheck(() => operator.setUserPassword({ accountId, userId }, { password: 'another good password' }))
      await assert.rejects(logIn(), ({ body }: ApiError) => /^invalid_(credentials|grant)$/.test(body.code ?? body.error ?? ''))
      duringCheck(async () => {})
      await operator.setUserPassword({ accountId, userId }, { password })
      await logIn()
    }
  })

  test(`${database}: ends a pending login when the password changes`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const ada = await world.newAccount()
    const { clientId } = await ada.api.createOauthClient({}, { name: 'App', redirectUris: [redirect_uri] })
    const browser = new Browser()
    const login = await browser.follow(authorizeUrl(world.url, { client_id: clientId, redirect_uri }), world.url)
    const answered = await browser.submit(login.url, { email: ada.email, password: ada.password })
    const onward = new URL(answered.headers.get('location') ?? '', login.url)
    await operator.setUserPassword({ accountId: ada.accountId, userId: ada.userId }, { password: 'another good password' })
    const { url, reply } = await browser.follow(onward, world.url)
    assert.equal(url.origin, world.url, 'no code leaves')
    assert.equal(reply?.status, 400)
    assert.doesNotMatch((await reply?.text()) ?? '', /name="decision"/)
  })

  test(`${database}: rejects tokens and renewals of a closed account`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const ada = await world.newAccount()
    const { clientId, clientSecret } = await ada.api.createOauthClient({}, { name: 'App', redirectUris: [redirect_uri] })
    const back = await consentInBrowser(authorizeUrl(world.url, { client_id: clientId, redirect_uri }), ada)
    const code = back.searchParams.get('code') ?? ''
    const client = { client_id: clientId, client_secret: clientSecret }
    const tokens = await world.client().exchangeToken({}, { ...client, grant_type: 'authorization_code', code, redirect_uri })
    await world.client(tokens.access_token).getAccount()
    await operator.closeAccount({ accountId: ada.accountId })

    await assert.rejects(world.client(tokens.access_token).getAccount(), { status: 401 })
    await assert.rejects(ada.api.getAccount(), { status: 401 })
    const renewal = { ...client, grant_type: 'refresh_token', refresh_token: tokens.refresh_token } as const
    await assert.rejects(world.client().exchangeToken({}, renewal), { status: 401 })
    const left = await world.write((tables) => tables.oidcRecords.find('RefreshToken', hashSecret(tokens.refresh_token), world.clock.now()))
    assert.equal(left, undefined)
  })
}
