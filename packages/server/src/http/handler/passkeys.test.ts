import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PasskeyQuestion } from '@offhook/contract/passkeys.ts'
import type { Client } from '@offhook/sdk'
import { codeOf } from '#test/http/authenticator.ts'
import { authorizeUrl, Browser } from '#test/http/browser.ts'
import { passkeyDevice, type PasskeyDevice } from '#test/http/passkey-device.ts'
import { databases, startWorld, type Database, type Person, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const site = 'https://phone.example'

const start = (t: Parameters<typeof startWorld>[0], database: Database = 'sqlite', url = site): Promise<World> =>
  startWorld(t, { database, settings: { OFFHOOK_PUBLIC_URL: url } })

interface Asked {
  challenge: string
  methods: string[]
  passkey: PasskeyQuestion
}

const asked = async (login: Promise<unknown>): Promise<Asked> => {
  const refused = await login.then(
    () => assert.fail('the password was enough'),
    (error: unknown) => error as { status: number; body: Asked & { code: string } },
  )
  assert.deepEqual([refused.status, refused.body.code], [401, 'second_factor_required'])
  return refused.body
}

/** Adds a passkey with its browser; returns the reply. */
const add = async (api: Client, userId: string, device: PasskeyDevice, name = 'Key') => {
  const { challenge, passkey } = await api.beginPasskey({ userId })
  return api.addPasskey({ userId }, { name, challenge, passkey: device.make(passkey) })
}

const logsIn = (world: World, { email, password }: Person) => ({
  logIn: (more: object = {}) => world.client().createSessionToken({}, { username: email, password, ...more }),
})

for (const database of databases) {
  test(`${database}: adds a passkey, asks for it, accepts each answer once, and removes it`, async (t) => {
    const world = await start(t, database)
    const ada = await world.newAccount()
    const { userId } = ada
    const { logIn } = logsIn(world, ada)
    const elsewhere = world.client((await logIn()).token)
    const device = passkeyDevice(site)
    const { id, recoveryCodes, host } = await add(ada.api, userId, device)
    assert.equal(recoveryCodes.length, 10)
    assert.equal(host, 'phone.example')
    await assert.rejects(elsewhere.getUserInfo(), { status: 401 }, 'what had only the password is logged out')
    assert.deepEqual((await ada.api.getSecondFactor({ userId })).methods, ['PASSKEY', 'RECOVERY_CODE'])
    const grant = { client_id: 'x', grant_type: 'password', username: ada.email, password: ada.password } as const
    await assert.rejects(world.client().logIn({}, grant), { status: 400 })

    const { challenge, methods, passkey } = await asked(logIn())
    assert.deepEqual(methods, ['PASSKEY', 'RECOVERY_CODE'])
    assert.deepEqual(
      passkey.allowCredentials.map(({ transports }) => transports),
      [['usb']],
    )
    const answer = device.answer(passkey)
    const tries = await Promise.allSettled(Array.from({ length: 3 }, () => logIn({ challenge, passkey: answer })))
    assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.ok((await ada.api.listPasskeys({ userId })).items[0]?.lastUsedAt)

    await world.clock.advance(60_000)
    const next = await asked(logIn())
    await assert.rejects(logIn({ challenge: next.challenge, passkey: answer }), { status: 401 }, 'an answer to an older question')
    device.counter = 0
    const copied = device.answer(next.passkey)
    await assert.rejects(logIn({ challenge: next.challenge, passkey: copied }), { status: 401 }, 'a counter that does not rise')
    const { token } = await logIn({ challenge: next.challenge, passkey: device.answer(next.passkey) })

    const fresh = world.client(token)
    assert.deepEqual((await add(fresh, userId, passkeyDevice(site), 'Second')).recoveryCodes, [], 'the codes stay')
    await fresh.removePasskey({ userId, passkeyId: id })
    await assert.rejects(fresh.removePasskey({ userId, passkeyId: id }), { status: 404 })
    await asked(logIn())
    const [second] = (await fresh.listPasskeys({ userId })).items
    await fresh.removePasskey({ userId, passkeyId: second?.id ?? '' })
    assert.deepEqual(await fresh.getSecondFactor({ userId }), { methods: [], recoveryCodes: 0, demanded: false })
    await logIn()
    const log = await world.write((tables) => tables.audit.list(ada.accountId, { afterSeq: 0, limit: 100 }))
    for (const action of ['user.passkey.create', 'user.passkey.delete']) assert.ok(log.some((entry) => entry.action === action))
  })

  test(`${database}: accepts a passkey without a counter once per challenge, also where a second factor is required`, async (t) => {
    const world = await start(t, database)
    const ada = await world.newAccount()
    const { userId } = ada
    const { logIn } = logsIn(world, ada)
    const device = passkeyDevice(site)
    const { id } = await add(ada.api, userId, device)
    await ada.api.demandSecondFactor({}, { demanded: true })
    await assert.rejects(ada.api.removePasskey({ userId, passkeyId: id }), { status: 409 })
    for (let times = 0; times < 2; times++) {
      const { challenge, passkey } = await asked(logIn())
      device.counter = -1
      const answer = { challenge, passkey: device.answer(passkey) }
      await logIn(answer)
      await assert.rejects(logIn(answer), { status: 401 })
    }
    const { secret } = await ada.api.beginTotp({ userId })
    const { recoveryCodes } = await ada.api.confirmTotp({ userId }, { code: codeOf(secret, world.clock.now()) })
    assert.deepEqual(recoveryCodes, [])
    await ada.api.removePasskey({ userId, passkeyId: id })
    await assert.rejects(ada.api.removeTotp({ userId }), { status: 409 })
    assert.deepEqual((await asked(logIn())).methods, ['TOTP', 'RECOVERY_CODE'])
  })

  test(`${database}: supports passkeys of operators`, async (t) => {
    const world = await start(t, database)
    const password = 'the operator’s own words'
    const passwordHash = await world.running.deps.passwords.hash(password)
    const email = 'boss@example.com'
    await world.write(({ operators }) => operators.insert({ id: 'o1', email, name: 'Boss', passwordHash, createdAt: 0 }))
    const logIn = (more: object = {}) => world.client().createOperatorSession({}, { email, password, ...more })
    const first = world.client((await logIn()).token)
    const device = passkeyDevice(site)
    const begun = await first.beginOperatorPasskey()
    const input = { name: 'Key', challenge: begun.challenge, passkey: device.make(begun.passkey) }
    const { id } = await first.addOperatorPasskey({}, input)
    await assert.rejects(first.addOperatorPasskey({}, input), { status: 400 }, 'each question once')
    await first.demandOperatorSecondFactor({}, { demanded: true })
    const { challenge, passkey } = await asked(logIn())
    const second = world.client((await logIn({ challenge, passkey: device.answer(passkey) })).token)
    assert.equal((await second.listOperatorPasskeys()).items.length, 1)
    await second.demandOperatorSecondFactor({}, { demanded: false })
    await second.removeOperatorPasskey({ passkeyId: id })
    await logIn()
  })
}

test('binds a passkey to its person, page and challenge', async (t) => {
  const world = await start(t)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  const { userId } = ada
  const begun = await ada.api.beginPasskey({ userId })
  const device = passkeyDevice(site)
  const addTo = (person: Person, challenge: string, passkey: ReturnType<PasskeyDevice['make']>) =>
    person.api.addPasskey({ userId: person.userId }, { name: 'Key', challenge, passkey })
  const made = device.make(begun.passkey)
  const other = await ada.api.beginPasskey({ userId })
  const wrong = [
    () => addTo(bob, begun.challenge, made),
    () => addTo(ada, other.challenge, made),
    () => addTo(ada, 'v1:AAAA', made),
    () => addTo(ada, begun.challenge, passkeyDevice('https://phone.example.evil.example').make(begun.passkey)),
    () => addTo(ada, begun.challenge, device.make({ ...begun.passkey, rp: { id: 'evil.example' } })),
    () => addTo(ada, begun.challenge, device.make(begun.passkey, 'apple')),
    () => addTo(ada, begun.challenge, { ...made, response: { ...made.response, attestationObject: 'AAAA' } }),
  ]
  for (const attempt of wrong) await assert.rejects(attempt, withCode('passkey_invalid'))
  await addTo(ada, begun.challenge, made)
  const again = await ada.api.beginPasskey({ userId })
  await assert.rejects(addTo(ada, again.challenge, device.make(again.passkey)), { status: 409 }, 'known already')
  const late = await ada.api.beginPasskey({ userId })
  const { tokenId, token } = await ada.api.createPersonalToken({}, { name: 'script' })
  await assert.rejects(world.client(`${tokenId}:${token}`).beginPasskey({ userId }), { status: 403 })
  await assert.rejects(ada.api.beginPasskey({ userId: bob.userId }), { status: 403 })
  await assert.rejects(ada.api.listPasskeys({ userId: bob.userId }), { status: 403 })

  const { logIn } = logsIn(world, ada)
  const bobs = passkeyDevice(site)
  await add(bob.api, bob.userId, bobs)
  const { challenge, passkey } = await asked(logIn())
  for (const answer of [bobs.answer(passkey), device.answer({ ...passkey, rpId: 'evil.example' })])
    await assert.rejects(logIn({ challenge, passkey: answer }), { status: 401 })
  const theirs = await asked(logsIn(world, bob).logIn())
  await asked(logIn({ challenge: theirs.challenge, passkey: device.answer(theirs.passkey) }))
  await world.clock.jump(5 * 60_000)
  await assert.rejects(addTo(ada, late.challenge, passkeyDevice(site).make(late.passkey)), { status: 400 }, 'five minutes')
  await asked(logIn({ challenge, passkey: device.answer(passkey) }))
  await world.clock.jump(5 * 60_000 + 1)
  await assert.rejects(ada.api.beginPasskey({ userId }), withCode('login_too_old'))
})

test('offers passkeys only on pages with a usable host name', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { userId } = ada
  await assert.rejects(ada.api.beginPasskey({ userId }), withCode('passkeys_not_here'))
  const page = world.url.replace('127.0.0.1', 'localhost')
  const headers = { origin: page, authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' }
  const post = async (path: string, body?: object) => {
    const reply = await fetch(`${page}${path}`, { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) })
    return (await reply.json()) as Asked & { passkey: { rp: { id: string }; challenge: string } }
  }
  const begun = await post(`/v1/users/${userId}/passkeys/options`)
  assert.equal(begun.passkey.rp.id, 'localhost')
  const device = passkeyDevice(page)
  await post(`/v1/users/${userId}/passkeys`, { name: 'Key', challenge: begun.challenge, passkey: device.make(begun.passkey) })
  const { methods } = await asked(logsIn(world, ada).logIn())
  assert.deepEqual(methods, ['RECOVERY_CODE'], 'at the IP address')
  const here = await post('/v1/authorization/token', { username: ada.email, password: ada.password })
  assert.equal(here.passkey.rpId, 'localhost')
})

test('asks users with only passkeys for a recovery code on the login page for applications, which has no scripts', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { clientId } = await ada.api.createOauthClient({}, { name: 'App', redirectUris: ['https://app.example/'] })
  const passkey = { id: 'p', site: 'localhost', credentialId: 'c', publicKey: '', counter: 0, transports: [], name: 'Key', createdAt: 0 }
  await world.write(async ({ users, secondFactors }) => {
    const user = await users.find(ada.accountId, ada.userId)
    await secondFactors.insertPasskey(user?.subject ?? '', passkey)
  })
  const { recoveryCodes } = await ada.api.renewRecoveryCodes({ userId: ada.userId })
  const browser = new Browser('de')
  const login = await browser.follow(authorizeUrl(world.url, { client_id: clientId, redirect_uri: 'https://app.example/' }), world.url)
  const page = await (await browser.submit(login.url, { email: ada.email, password: ada.password })).text()
  assert.match(page, /Passkeys gibt es auf dieser Seite nicht/)
  const challenge = /name="challenge" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const wrong = await (await browser.submit(login.url, { challenge, code: '000000' })).text()
  assert.match(wrong, /Passkeys gibt es auf dieser Seite nicht/)
  assert.equal((await browser.submit(login.url, { challenge, code: recoveryCodes[0] ?? '' })).status, 303)
})
