import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf } from '#test/http/authenticator.ts'
import { authorizeUrl, Browser, consentInBrowser } from '#test/http/browser.ts'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const redirectUri = 'https://app.example/'

const setUp = async (world: World, { api, userId }: Pick<Person, 'api' | 'userId'>): Promise<string> => {
  const { secret } = await api.beginTotp({ userId })
  await api.confirmTotp({ userId }, { code: codeOf(secret, world.clock.now()) })
  return secret
}

const personalToken = async (world: World, api: Person['api'], name: string) => {
  const { tokenId, token } = await api.createPersonalToken({}, { name })
  return world.client(`${tokenId}:${token}`)
}

const newApp = async (world: World, owner: Person) => {
  const { clientId: client_id, clientSecret: client_secret } = await owner.api.createOauthClient(
    {},
    { name: 'App', redirectUris: [redirectUri] },
  )
  const start = authorizeUrl(world.url, { client_id, redirect_uri: redirectUri })
  const exchange = async (form: Record<string, string>) => {
    const body = new URLSearchParams({ client_id, client_secret, ...form })
    const reply = await fetch(`${world.url}/v1/authorization/oauth/token`, { method: 'POST', body })
    return { status: reply.status, ...((await reply.json()) as { access_token: string; refresh_token: string; error?: string }) }
  }
  const redeem = (end: URL) =>
    exchange({ grant_type: 'authorization_code', code: end.searchParams.get('code') ?? '', redirect_uri: redirectUri })
  return { start, redeem, renew: (refresh_token: string) => exchange({ grant_type: 'refresh_token', refresh_token }) }
}

/** Logs in with password and code, and grants the application its request. */
const consentWithCode = async (world: World, start: URL, { email, password }: Person, secret: string): Promise<URL> => {
  const browser = new Browser()
  const login = await browser.follow(start, world.url)
  const page = await (await browser.submit(login.url, { email, password })).text()
  const challenge = /name="challenge" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const proved = await browser.submit(login.url, { challenge, code: codeOf(secret, world.clock.now()) })
  const consent = await browser.follow(new URL(proved.headers.get('location') ?? '', login.url), world.url)
  const decided = await browser.submit(consent.url, { decision: 'allow' })
  return (await browser.follow(new URL(decided.headers.get('location') ?? '', consent.url), world.url)).url
}

for (const database of databases)
  test(`${database}: rejects tokens older than the requirement for a second factor`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const [bob, carol] = [await world.newUser(ada.accountId), await world.newUser(ada.accountId)]
    const app = await newApp(world, ada)
    const ofBob = await personalToken(world, bob.api, 'old')
    const ofCarol = await personalToken(world, carol.api, 'old')
    const consented = await app.redeem(await consentInBrowser(app.start, carol))
    await setUp(world, ada)
    const secret = await setUp(world, carol)
    const child = await personalToken(world, ofCarol, 'child')
    const proven = await personalToken(world, carol.api, 'proven')
    const renewed = await app.renew(consented.refresh_token)
    assert.equal(renewed.status, 200, 'nobody demands a second factor yet')
    for (const api of [ofBob, ofCarol, child, proven, world.client(renewed.access_token)]) await api.getAccount()

    await ada.api.demandSecondFactor({}, { demanded: true })
    const refused = withCode('second_factor_missing')
    for (const api of [ofBob, ofCarol, child, world.client(renewed.access_token)]) await assert.rejects(api.getAccount(), refused)
    await assert.rejects(personalToken(world, child, 'another'), refused)
    const { status, error } = await app.renew(renewed.refresh_token)
    assert.deepEqual([status, error], [400, 'invalid_grant'])
    await carol.api.getAccount()
    await proven.getAccount()
    const listed = (await carol.api.listPersonalTokens()).items.map(({ name, lacksSecondFactor = false }) => `${name} ${lacksSecondFactor}`)
    assert.deepEqual(listed.toSorted(), ['child true', 'old true', 'proven false'])

    await world.clock.advance(30_000)
    const again = await app.redeem(await consentWithCode(world, app.start, carol, secret))
    await world.client(again.access_token).getAccount()
    assert.equal((await app.renew(again.refresh_token)).status, 200, 'this login showed the second factor')
    await ada.api.demandSecondFactor({}, { demanded: false })
    await ofCarol.getAccount()
  })
