import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { pino } from 'pino'
import { logTo } from '#log/log.ts'
import { hashSecret } from '#core/account/identity/tokens/tokens.ts'
import type { Passwords } from '#core/kernel/ports/account.ts'
import { argon2Passwords } from '#adapters/passwords/argon2-passwords.ts'
import { authorizeUrl, Browser, consentInBrowser } from '#test/http/browser.ts'
import { bothDatabases, databases, startWorld, type World } from '#test/world/world.ts'

const password = 'a new and better password'

/** Links in all mails sent so far, unordered. */
const mailedLinks = async (world: World): Promise<string[]> => {
  await world.running.idle() // runs the job that writes the mail
  await world.running.idle() // sends the mail
  const folder = join(world.data, 'mail')
  const files = await readdir(folder).catch(() => [])
  const mails = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  return mails.flatMap((mail) =>
    [
      ...mail
        .replaceAll('=\n', '')
        .replaceAll('=\r\n', '')
        .matchAll(/https?:\/\/\S+\/login\/reset\/\S+/g),
    ].map(([link]) => link),
  )
}

const newNonce = async (world: World, username: string): Promise<string> => {
  const before = await mailedLinks(world)
  await world.client().requestPasswordReset({}, { username })
  const [link] = (await mailedLinks(world)).filter((one) => !before.includes(one))
  return link?.split('/').at(-1) ?? ''
}

for (const database of databases) {
  test(`${database}: sets a new password once and logs out everywhere`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const anyone = world.client()
    const personal = await ada.api.createPersonalToken({}, { name: 'script' })
    const { clientId } = await ada.api.createOauthClient({}, { name: 'x', redirectUris: ['https://app.example/'] })
    const browser = new Browser()
    const start = authorizeUrl(world.url, { client_id: clientId, redirect_uri: 'https://app.example/' })
    await consentInBrowser(start, ada, { browser })

    const older = await newNonce(world, ada.email)
    const nonce = await newNonce(world, ada.email.toUpperCase())
    assert.match(nonce, /^[\w-]{43}$/)
    await anyone.resetPassword({ nonce }, { password, passwordRepeat: password })

    await assert.rejects(anyone.resetPassword({ nonce }, { password, passwordRepeat: password }), { status: 404 }, 'used')
    await assert.rejects(
      anyone.resetPassword({ nonce: older }, { password, passwordRepeat: password }),
      { status: 404 },
      'older ones are void',
    )
    await assert.rejects(ada.api.getUserInfo(), { status: 401 })
    const basic = Buffer.from(`${personal.tokenId}:${personal.token}`).toString('base64')
    assert.equal((await fetch(`${world.url}/v1/account`, { headers: { authorization: `Basic ${basic}` } })).status, 401)
    const { reply } = await browser.follow(start, world.url)
    assert.match((await reply?.text()) ?? '', /name="password"/, 'the browser must log in again')
    await bob.api.getUserInfo()
    await assert.rejects(anyone.createSessionToken({}, { username: ada.email, password: ada.password }), { status: 401 })
    await anyone.createSessionToken({}, { username: ada.email, password })
    const entries = await world.write((tables) => tables.audit.list(ada.accountId, { afterSeq: 0, limit: 100 }))
    assert.equal(entries.filter(({ action }) => action === 'user.reset_password').length, 1)
  })
}

for (const database of bothDatabases) {
  test(`${database}: accepts one of a hundred concurrent uses`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const nonce = await newNonce(world, ada.email)
    const anyone = world.client()
    const tries = Array.from({ length: 100 }, (_, index) => `password number ${index}`)
    const results = await Promise.allSettled(tries.map((one) => anyone.resetPassword({ nonce }, { password: one, passwordRepeat: one })))
    const winner = results.findIndex(({ status }) => status === 'fulfilled')
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const result of results) if (result.status === 'rejected') assert.equal((result.reason as { status: number }).status, 404)
    await anyone.createSessionToken({}, { username: ada.email, password: tries[winner] ?? '' })
  })
}

for (const database of databases) {
  test(`${database}: expires after thirty minutes, with limits per name and address`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const anyone = world.client()
    const body = { password, passwordRepeat: password }
    const late = await newNonce(world, ada.email)
    await world.clock.jump(30 * 60_000)
    await assert.rejects(anyone.resetPassword({ nonce: late }, body), { status: 404 })
    const timely = await newNonce(world, ada.email)
    await world.clock.jump(30 * 60_000 - 1)
    await anyone.requestPasswordReset({}, { username: ada.email })
    await assert.rejects(anyone.requestPasswordReset({}, { username: ada.email }), { status: 429 }, 'the first was less than an hour ago')
    await anyone.resetPassword({ nonce: timely }, body)

    await world.clock.jump(60 * 60_000)
    for (const username of ['unknown@example.com', ada.email]) {
      for (let asked = 0; asked < 3; asked++) await anyone.requestPasswordReset({}, { username })
      await assert.rejects(anyone.requestPasswordReset({}, { username }), { status: 429 }, 'the same for known and unknown')
    }
    for (let asked = 0; asked < 4; asked++) await anyone.requestPasswordReset({}, { username: `user${asked}@example.com` })
    const reply = await fetch(`${world.url}/v1/passwordreset`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'fresh@example.com' }),
    })
    assert.equal(reply.status, 429, 'ten from one address')
    assert.equal(reply.headers.get('retry-after'), '3600')
  })
}

test('rejects a weak password by field name and keeps the link valid', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const nonce = await newNonce(world, ada.email)
  const anyone = world.client()
  const long = 'ä'.repeat(600)
  const cases: [string, string, string][] = [
    ['elevenchars', 'elevenchars', 'password'],
    ['', '', 'password'],
    [long, long, 'password'],
    [ada.email, ada.email, 'password'],
    ['P@ssw0rd2024', 'P@ssw0rd2024', 'password'],
    [ada.email.toUpperCase(), ada.email.toUpperCase(), 'password'],
    [password, `${password}x`, 'passwordRepeat'],
  ]
  for (const [one, repeat, field] of cases) {
    const refused = await anyone.resetPassword({ nonce }, { password: one, passwordRepeat: repeat }).catch((error: unknown) => error)
    const { status, body } = refused as { status: number; body: { details: { field: string }[] } }
    assert.deepEqual([status, body.details[0]?.field], [400, field], one)
  }
  for (const unknown of ['x', nonce.slice(0, -1), hashSecret(nonce), 'x'.repeat(400)])
    await assert.rejects(anyone.resetPassword({ nonce: unknown }, { password, passwordRepeat: password }), { status: 404 })
  await anyone.resetPassword({ nonce }, { password: 'twelve chars', passwordRepeat: 'twelve chars' })
})

test('serves the page of the link without scripts', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const nonce = await newNonce(world, ada.email)
  const browser = new Browser('de')
  const url = `${world.url}/login/reset/${nonce}`
  const page = await browser.open(url)
  assert.equal(page.status, 200)
  assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
  assert.match(await page.text(), /<html lang="de">[^]*<form method="post">/)
  const weak = await browser.submit(url, { password: 'short', passwordRepeat: 'short' })
  assert.equal(weak.status, 400)
  assert.match(await weak.text(), /role="alert">Das Passwort braucht mindestens 12 Zeichen/)
  const different = await browser.submit(url, { password, passwordRepeat: 'another password' })
  assert.match(await different.text(), /role="alert">Die beiden Passwörter/)
  const done = await browser.submit(url, { password, passwordRepeat: password })
  assert.equal(done.status, 200)
  assert.match(await done.text(), /Ihr Passwort wurde geändert/)
  for (const reply of [await browser.open(url), await browser.submit(url, { password, passwordRepeat: password })]) {
    assert.equal(reply.status, 404)
    assert.match(await reply.text(), /abgelaufen/)
  }
  await world.client().createSessionToken({}, { username: ada.email, password })
})

test("reveals a user's existence neither by answer nor by timing, and logs no link", async (t) => {
  let log = ''
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      log += chunk.toString()
      done()
    },
  })
  const real = argon2Passwords()
  let hashed = 0
  const passwords: Passwords = { matches: (one, hash) => real.matches(one, hash), hash: (one) => real.hash(one).finally(() => hashed++) }
  const world = await startWorld(t, { replaced: { log: logTo(pino({ level: 'trace' }, sink)), passwords } })
  const ada = await world.newAccount()
  const ask = async (username: string) => {
    const reply = await fetch(`${world.url}/v1/passwordreset`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username }),
    })
    const { date: _, ...headers } = Object.fromEntries(reply.headers)
    return { status: reply.status, headers, body: await reply.text() }
  }
  const before = hashed
  assert.deepEqual(await ask(ada.email), await ask('nobody@example.com'))
  assert.equal(hashed, before, 'neither is worth a hash')
  const links = await mailedLinks(world)
  assert.equal(links.length, 1)
  const nonce = links[0]?.split('/').at(-1) ?? ''
  await fetch(`${world.url}/login/reset/${nonce}`)
  await fetch(`${world.url}/login/reset/${nonce}`, { method: 'POST', body: '{' })
  await fetch(`${world.url}/v1/passwordreset/${nonce}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' })
  await world.client().resetPassword({ nonce }, { password, passwordRepeat: password })
  assert.ok(log.length > 0)
  assert.ok(!log.includes(nonce))
  assert.ok(!log.includes(ada.email))
})
