import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf } from '#test/http/authenticator.ts'
import { authorizeUrl, Browser } from '#test/http/browser.ts'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const half = 30_000

interface Challenge {
  challenge: string
  methods: string[]
}

/** Code of an authenticator app. */
const codeAt = (world: World, secret: string): string => codeOf(secret, world.clock.now())

const setUp = async (
  world: World,
  { api, userId }: Pick<Person, 'api' | 'userId'>,
): Promise<{ secret: string; recoveryCodes: string[] }> => {
  const { secret, uri } = await api.beginTotp({ userId })
  assert.ok(uri.includes(secret))
  const { recoveryCodes } = await api.confirmTotp({ userId }, { code: codeAt(world, secret) })
  return { secret, recoveryCodes }
}

const challengeOf = async (login: Promise<unknown>): Promise<Challenge> => {
  const refused = await login.then(
    () => assert.fail('the password was enough'),
    (error: unknown) => error as { status: number; body: Challenge & { code: string } },
  )
  assert.deepEqual([refused.status, refused.body.code], [401, 'second_factor_required'])
  return refused.body
}

const newOperator = async (
  world: World,
): Promise<{ email: string; password: string; logIn: (more?: object) => Promise<{ token: string }> }> => {
  const [email, password] = ['boss@example.com', 'the operator’s own words']
  const passwordHash = await world.running.deps.passwords.hash(password)
  await world.write(({ operators }) => operators.insert({ id: 'o1', email, name: 'Boss', passwordHash, createdAt: 0 }))
  return { email, password, logIn: (more = {}) => world.client().createOperatorSession({}, { email, password, ...more }) }
}

for (const database of databases) {
  const start = (t: Parameters<typeof startWorld>[0]) => startWorld(t, { database })

  test(`${database}: sets up an authenticator app, asks for it, accepts each code once, and removes it`, async (t) => {
    const world = await start(t)
    const ada = await world.newAccount()
    const { userId } = ada
    const elsewhere = world.client((await world.client().createSessionToken({}, { username: ada.email, password: ada.password })).token)
    const grant = { client_id: 'x', grant_type: 'password', username: ada.email, password: ada.password } as const
    const program = await world.client().logIn({}, grant)
    const { tokenId, token } = await ada.api.createPersonalToken({}, { name: 'script' })
    assert.deepEqual(await ada.api.getSecondFactor({ userId }), { methods: [], recoveryCodes: 0, demanded: false })
    const begun = await ada.api.beginTotp({ userId })
    await assert.rejects(ada.api.confirmTotp({ userId }, { code: '000000' }), { status: 400 })
    await world.client().createSessionToken({}, { username: ada.email, password: ada.password })
    const again = await ada.api.beginTotp({ userId })
    await assert.rejects(ada.api.confirmTotp({ userId }, { code: codeAt(world, begun.secret) }), { status: 400 }, 'the first try is void')
    const { recoveryCodes } = await ada.api.confirmTotp({ userId }, { code: codeAt(world, again.secret) })
    assert.equal(new Set(recoveryCodes).size, 10)
    assert.deepEqual(await ada.api.getSecondFactor({ userId }), { methods: ['TOTP', 'RECOVERY_CODE'], recoveryCodes: 10, demanded: false })
    await assert.rejects(elsewhere.getUserInfo(), { status: 401 }, 'what had only the password is logged out')
    await assert.rejects(world.client().logIn({}, { client_id: 'x', grant_type: 'refresh_token', refresh_token: program.refresh_token }))
    await world.client(`${tokenId}:${token}`).getAccount()
    await assert.rejects(ada.api.beginTotp({ userId }), { status: 409 })

    const password = { username: ada.email, password: ada.password }
    const { challenge, methods } = await challengeOf(world.client().createSessionToken({}, password))
    assert.deepEqual(methods, ['TOTP', 'RECOVERY_CODE'])
    const logIn = (code: string) => world.client().createSessionToken({}, { ...password, challenge, code })
    await assert.rejects(logIn(codeAt(world, again.secret)), { status: 401 }, 'the code that set it up is used up')
    await world.clock.advance(half)
    const tries = await Promise.allSettled(Array.from({ length: 4 }, () => logIn(codeAt(world, again.secret))))
    assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1)
    await world.clock.advance(60_000)
    await assert.rejects(logIn('123 45'), { status: 401 })
    const { token: fresh } = await logIn((recoveryCodes[0] ?? '').toUpperCase().replace('-', ' '))
    await assert.rejects(logIn(recoveryCodes[0] ?? ''), { status: 401 }, 'each of them once')
    assert.equal((await world.client(fresh).getSecondFactor({ userId })).recoveryCodes, 9)
    const renewed = await world.client(fresh).renewRecoveryCodes({ userId })
    await assert.rejects(logIn(recoveryCodes[1] ?? ''), { status: 401 })
    await logIn(renewed.recoveryCodes[1] ?? '')

    await world.client(fresh).removeTotp({ userId })
    await world.client().createSessionToken({}, password)
    const actions = (await world.write((tables) => tables.audit.list(ada.accountId, { afterSeq: 0, limit: 100 }))).map(
      ({ action }) => action,
    )
    for (const action of ['user.totp.create', 'user.recovery_codes.create', 'user.totp.delete']) assert.ok(actions.includes(action), action)
  })

  test(`${database}: lets a user without a required second factor only set one up`, async (t) => {
    const world = await start(t)
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    await assert.rejects(bob.api.demandSecondFactor({}, { demanded: true }), { status: 403 })
    await assert.rejects(ada.api.demandSecondFactor({}, { demanded: true }), { status: 409 }, 'who demands it has one')
    await setUp(world, ada)
    await ada.api.demandSecondFactor({}, { demanded: true })
    await assert.rejects(bob.api.getUserInfo(), { status: 401 }, 'logged out')
    const grant = { client_id: 'x', grant_type: 'password', username: bob.email, password: bob.password } as const
    await assert.rejects(world.client().logIn({}, grant), { status: 400 })

    const { token, secondFactorMissing } = await world.client().createSessionToken({}, { username: bob.email, password: bob.password })
    assert.equal(secondFactorMissing, true)
    const limited = world.client(token)
    assert.equal((await limited.getUserInfo()).sub, bob.userId)
    const refusal = withCode('second_factor_missing')
    const refused = [limited.getAccount(), limited.listUsers(), limited.createPersonalToken({}, { name: 'x' })]
    await Promise.all(refused.map((one) => assert.rejects(one, refusal)))
    await setUp(world, { api: limited, userId: bob.userId })
    await limited.getAccount()
    await assert.rejects(limited.removeTotp({ userId: bob.userId }), { status: 409 })
    await world.clock.jump(31 * 60_000)
    await limited.getAccount()

    const operator = await world.operator()
    await operator.removeUserSecondFactor({ accountId: ada.accountId, userId: bob.userId })
    await assert.rejects(limited.getAccount(), { status: 401 })
    await assert.rejects(ada.api.demandSecondFactor({}, { demanded: false }), { status: 403 }, 'more than ten minutes after the login')
  })

  test(`${database}: supports second factors of operators`, async (t) => {
    const world = await start(t)
    const boss = await newOperator(world)
    const first = world.client((await boss.logIn()).token)
    await assert.rejects(first.demandOperatorSecondFactor({}, { demanded: true }), { status: 409 })
    const { secret } = await first.beginOperatorTotp()
    const { recoveryCodes } = await first.confirmOperatorTotp({}, { code: codeAt(world, secret) })
    await first.demandOperatorSecondFactor({}, { demanded: true })
    assert.equal((await first.getOperatorSecondFactor()).demanded, true)
    await assert.rejects(first.removeOperatorTotp(), { status: 409 })
    const { challenge } = await challengeOf(boss.logIn())
    const second = world.client((await boss.logIn({ challenge, code: recoveryCodes[3] })).token)
    await second.listAccounts({})
    await second.demandOperatorSecondFactor({}, { demanded: false })
    await second.removeOperatorTotp()

    await second.beginOperatorTotp().then(({ secret: next }) => second.confirmOperatorTotp({}, { code: codeAt(world, next) }))
    await second.demandOperatorSecondFactor({}, { demanded: true })
    const passwordHash = await world.running.deps.passwords.hash('somebody else’s words')
    await world.write(({ operators }) => operators.insert({ id: 'o2', email: 'new@example.com', name: 'N', passwordHash, createdAt: 0 }))
    const entered = await world.client().createOperatorSession({}, { email: 'new@example.com', password: 'somebody else’s words' })
    assert.equal(entered.secondFactorMissing, true)
    const limited = world.client(entered.token)
    await assert.rejects(limited.listAccounts({}), { status: 403 })
    await limited.beginOperatorTotp().then(({ secret: next }) => limited.confirmOperatorTotp({}, { code: codeAt(world, next) }))
    await limited.listAccounts({})
  })
}

test("changes only one's own second factor, and only after a recent login", async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  const { userId } = ada
  const { tokenId, token } = await ada.api.createPersonalToken({}, { name: 'script' })
  const program = await world.client().logIn({}, { client_id: 'x', grant_type: 'password', username: ada.email, password: ada.password })
  for (const client of [world.client(`${tokenId}:${token}`), world.client(program.access_token)])
    await assert.rejects(client.beginTotp({ userId }), { status: 403 })
  await assert.rejects(ada.api.beginTotp({ userId: bob.userId }), { status: 403 })
  await setUp(world, bob)
  await ada.api.removeSecondFactor({ userId: bob.userId })
  await world.client().createSessionToken({}, { username: bob.email, password: bob.password })
  await world.clock.jump(10 * 60_000 + 1)
  for (const tried of [
    () => ada.api.beginTotp({ userId }),
    () => ada.api.renewRecoveryCodes({ userId }),
    () => ada.api.removeSecondFactor({ userId: bob.userId }),
  ])
    await assert.rejects(tried(), withCode('login_too_old'))
  await ada.api.getSecondFactor({ userId })
})

test('limits code guesses per person, and a challenge to one person and five minutes', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  await setUp(world, ada)
  await setUp(world, bob)
  const passwordOf = ({ email, password }: Person) => ({ username: email, password })
  const answer = (person: Person, challenge: string, code = '000000') =>
    world.client().createSessionToken({}, { ...passwordOf(person), challenge, code })
  const { challenge } = await challengeOf(world.client().createSessionToken({}, passwordOf(ada)))
  await challengeOf(answer(bob, challenge))
  await challengeOf(answer(ada, `${challenge}x`))
  for (let tried = 0; tried < 5; tried++) await assert.rejects(answer(ada, challenge), withCode('second_factor_wrong'))
  await assert.rejects(answer(ada, challenge), { status: 429 })
  for (let minutes = 0; minutes < 3; minutes++) {
    await world.clock.advance(60_000)
    for (let tried = 0; tried < 5; tried++) await assert.rejects(answer(ada, challenge), withCode('second_factor_wrong'))
  }
  await world.clock.advance(60_000)
  await assert.rejects(answer(ada, challenge), { status: 429 }, 'twenty an hour')
  await world.clock.advance(60_000)
  await challengeOf(answer(ada, challenge))
})

test('asks for it on the login page for applications, without scripts', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { clientId } = await ada.api.createOauthClient({}, { name: 'App', redirectUris: ['https://app.example/'] })
  const { secret } = await setUp(world, ada)
  await world.clock.advance(half)
  const browser = new Browser('de')
  const login = await browser.follow(authorizeUrl(world.url, { client_id: clientId, redirect_uri: 'https://app.example/' }), world.url)
  const asked = await browser.submit(login.url, { email: ada.email, password: ada.password })
  assert.equal(asked.status, 200)
  const page = await asked.text()
  assert.match(page, /<label for="code">/)
  assert.match(page, /Zweiter Faktor/)
  const challenge = /name="challenge" value="([^"]+)"/.exec(page)?.[1] ?? ''
  assert.ok(!browser.cookies().some((cookie) => cookie.startsWith('offhook_browser')), 'not known yet')
  const wrong = await browser.submit(login.url, { challenge, code: '000000' })
  assert.equal(wrong.status, 401)
  assert.match(await wrong.text(), /role="alert">Der Code ist falsch/)
  const forged = await browser.submit(login.url, { challenge: 'v1:AAAA', code: codeAt(world, secret) })
  assert.equal(forged.status, 401)
  assert.match(await forged.text(), /name="password"/)
  const right = await browser.submit(login.url, { challenge, code: codeAt(world, secret) })
  assert.equal(right.status, 303)
  assert.ok(browser.cookies().some((cookie) => cookie.startsWith('offhook_browser')))
  const consent = await browser.follow(new URL(right.headers.get('location') ?? '', login.url), world.url)
  assert.match((await consent.reply?.text()) ?? '', /name="decision"/)

  const other = new Browser()
  const start = await other.follow(authorizeUrl(world.url, { client_id: clientId, redirect_uri: 'https://app.example/' }), world.url)
  const second = await (await other.submit(start.url, { email: ada.email, password: ada.password })).text()
  const operator = await world.operator()
  await operator.setUserPassword({ accountId: ada.accountId, userId: ada.userId }, { password: 'another good password' })
  await world.clock.advance(half)
  const late = { challenge: /name="challenge" value="([^"]+)"/.exec(second)?.[1] ?? '', code: codeAt(world, secret) }
  assert.equal((await other.submit(start.url, late)).status, 401, 'the password has changed between the two pages')
})

test('explains a missing required second factor on the login page for applications', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  const { clientId } = await ada.api.createOauthClient({}, { name: 'App', redirectUris: ['https://app.example/'] })
  await setUp(world, ada)
  await ada.api.demandSecondFactor({}, { demanded: true })
  const browser = new Browser()
  const login = await browser.follow(authorizeUrl(world.url, { client_id: clientId, redirect_uri: 'https://app.example/' }), world.url)
  const refused = await browser.submit(login.url, { email: bob.email, password: bob.password })
  assert.equal(refused.status, 403)
  assert.match(await refused.text(), /role="alert">Your account requires a second factor\./)
})
