import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@offhook/sdk'
import { brokenAuditEntry } from '#core/kernel/audit/audit-hash.ts'
import { issueToken } from '#core/account/identity/tokens/tokens.ts'
import { bothDatabases, databases, startWorld, type World } from '#test/world/world.ts'

const audited = async (world: World, accountId: string): Promise<string[]> => {
  const entries = await world.write((tables) => tables.audit.list(accountId, { afterSeq: 0, limit: 1000 }))
  assert.equal(brokenAuditEntry(accountId, entries), undefined)
  return entries.map(({ actor, action, target }) => `${actor} ${action} ${target}`)
}

const basic = (tokenId: string, token: string): string => `Basic ${Buffer.from(`${tokenId}:${token}`).toString('base64')}`

for (const database of databases) {
  test(`${database}: restricts OAuth clients to their user and shows their secret once`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const carol = await world.newUser(ada.accountId)
    const outsideNumber = await world.newAccount()
    const created = await bob.api.createOauthClient(
      {},
      { name: 'My app', redirectUris: ['https://app.example/cb', 'http://localhost:8/cb'] },
    )
    const { clientId, clientSecret, ...rest } = created
    assert.deepEqual(rest, { name: 'My app', redirectUris: ['https://app.example/cb', 'http://localhost:8/cb'] })
    assert.ok(clientSecret.length >= 43)

    const element = { clientId, ...rest }
    assert.deepEqual(await bob.api.listOauthClients(), { items: [element] })
    assert.deepEqual(await bob.api.getOauthClient({ clientId }), { items: [element] })
    assert.deepEqual(await ada.api.getOauthClient({ clientId }), { items: [element] }, 'an administrator may')
    assert.deepEqual(await ada.api.listOauthClients(), { items: [] }, 'the list is the caller’s own')
    for (const attempt of [
      (api: typeof bob.api) => api.getOauthClient({ clientId }),
      (api: typeof bob.api) => api.updateOauthClient({ clientId }, { name: 'Taken' }),
      (api: typeof bob.api) => api.resetOauthClientSecret({ clientId }),
      (api: typeof bob.api) => api.deleteOauthClient({ clientId }),
    ]) {
      await assert.rejects(attempt(carol.api), { status: 403 })
      await assert.rejects(attempt(outsideNumber.api), { status: 404 })
    }
    await assert.rejects(bob.api.getOauthClient({ clientId: 'unknown' }), { status: 404 })

    await bob.api.updateOauthClient({ clientId }, { name: 'Renamed' })
    await bob.api.updateOauthClient({ clientId }, { redirectUris: [] })
    assert.deepEqual(await bob.api.listOauthClients(), { items: [{ clientId, name: 'Renamed', redirectUris: [] }] })
    const reset = await bob.api.resetOauthClientSecret({ clientId })
    assert.equal(reset.clientId, clientId)
    assert.notEqual(reset.clientSecret, clientSecret)
    await bob.api.deleteOauthClient({ clientId })
    await assert.rejects(bob.api.getOauthClient({ clientId }), { status: 404 })
    const actor = `user:${bob.userId}`
    assert.deepEqual(await audited(world, ada.accountId), [
      `${actor} oauth_client.create ${clientId}`,
      `${actor} oauth_client.update ${clientId}`,
      `${actor} oauth_client.update ${clientId}`,
      `${actor} oauth_client.reset_secret ${clientId}`,
      `${actor} oauth_client.delete ${clientId}`,
    ])
  })
}

for (const database of bothDatabases) {
  test(`${database}: limits an account to 50 OAuth clients, even under concurrent creation`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    for (let made = 0; made < 45; made++) await ada.api.createOauthClient({}, { name: 'x' })
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => bob.api.createOauthClient({}, { name: 'y' })))
    assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 5)
    for (const tried of tries) if (tried.status === 'rejected') assert.equal((tried.reason as { status: number }).status, 409)
    await (await world.newAccount()).api.createOauthClient({}, { name: 'others are not concerned' })
  })
}

for (const database of databases) {
  test(`${database}: creates and revokes session tokens`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const anyone = world.client()
    const { token } = await anyone.createSessionToken({}, { username: ada.email.toUpperCase(), password: ada.password })
    assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/)
    const api = world.client(token)
    assert.deepEqual(await api.getUserInfo(), {
      sub: ada.userId,
      domain: `${ada.accountId}.offhook`,
      masterSipId: ada.accountId,
      locale: 'en_US',
    })
    await assert.rejects(anyone.createSessionToken({}, { username: ada.email, password: 'wrong' }), { status: 401 })
    await assert.rejects(anyone.createSessionToken({}, { username: 'nobody@example.com', password: ada.password }), { status: 401 })
    await api.deleteSessionToken()
    await assert.rejects(api.getUserInfo(), { status: 401 })
    await assert.rejects(api.deleteSessionToken(), { status: 401 })
    await ada.api.getUserInfo()

    const { token: second } = await anyone.createSessionToken({}, { username: ada.email, password: ada.password })
    await world.clock.jump(30 * 24 * 60 * 60 * 1000 - 1)
    await world.client(second).getUserInfo()
    await world.clock.advance(1)
    await assert.rejects(world.client(second).getUserInfo(), { status: 401 })
    assert.equal((await audited(world, ada.accountId)).filter((entry) => entry.includes('token.revoke')).length, 1)
  })

  test(`${database}: creates and revokes personal access tokens`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const { tokenId, token } = await bob.api.createPersonalToken({}, { name: 'script', scopes: ['account:read'] })
    assert.match(tokenId, /^token-[A-Za-z0-9]{6}$/)
    const call = (path: string, authorization: string) => fetch(world.url + path, { headers: { authorization } })
    assert.equal((await call('/v1/account', basic(tokenId, token))).status, 200)
    assert.equal((await call('/v1/authorization/userinfo', basic(tokenId, token))).status, 200)
    assert.equal((await call('/v1/users', basic(tokenId, token))).status, 403, 'the scope is not there')
    assert.equal((await call('/v1/account', basic(tokenId, 'wrong'))).status, 401)
    assert.equal((await call('/v1/account', `Bearer ${token}`)).status, 401)
    const { items } = await bob.api.listPersonalTokens()
    const createdAt = new Date(world.clock.now()).toISOString()
    assert.deepEqual(items, [{ tokenId, name: 'script', scopes: ['account:read'], createdAt }])
    assert.deepEqual(await ada.api.listPersonalTokens(), { items: [] })

    const all = await bob.api.createPersonalToken({}, { name: 'all' })
    assert.equal((await call('/v1/users', basic(all.tokenId, all.token))).status, 200)
    await assert.rejects(ada.api.deletePersonalToken({ tokenId }), { status: 404 })
    await bob.api.deletePersonalToken({ tokenId })
    assert.equal((await call('/v1/account', basic(tokenId, token))).status, 401)
    await assert.rejects(bob.api.deletePersonalToken({ tokenId }), { status: 404 })
    for (const scopes of [['internal'], ['nonsense'], []] as never[])
      await assert.rejects(bob.api.createPersonalToken({}, { name: 'x', scopes }), { status: 400 })

    for (let made = 0; made < 49; made++) await bob.api.createPersonalToken({}, { name: 'x' })
    await assert.rejects(bob.api.createPersonalToken({}, { name: 'x' }), { status: 409 })
    assert.deepEqual((await audited(world, ada.accountId)).slice(0, 3), [
      `user:${bob.userId} personal_token.create ${tokenId}`,
      `user:${bob.userId} personal_token.create ${all.tokenId}`,
      `user:${bob.userId} personal_token.delete ${tokenId}`,
    ])
  })
}

test('accepts redirect URIs with https, or http on this machine, and rejects misleading ones', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const good = [
    'https://app.example/callback',
    'https://app.example:8443/callback?a=b&c=d',
    'https://app.example',
    'http://localhost:3000/',
    'http://127.0.0.1:3000/callback',
    'http://[::1]:3000/callback',
  ]
  const { redirectUris } = await ada.api.createOauthClient({}, { name: 'x', redirectUris: good })
  assert.deepEqual(redirectUris, good, 'as they were given')
  for (const uri of [
    'http://app.example/callback',
    'http://localhost.evil.example/',
    'https://app.example/#fragment',
    'https://app.example/#',
    'https://user@app.example/',
    'https://@app.example/',
    'https://user:password@app.example/',
    'https:app.example',
    'https:///app.example',
    'https://',
    '//app.example/callback',
    'app.example/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'com.example.app:/callback',
    'https://app.example/call back',
    'https://app.example\\evil',
    'https://äpp.example/',
    'https://app.example/\u0007',
    '',
  ]) {
    const refused = await ada.api
      .createOauthClient({}, { name: 'x', redirectUris: ['https://app.example/', uri] })
      .catch((error: unknown) => error)
    assert.ok(refused instanceof ApiError, uri)
    assert.deepEqual([refused.status, refused.body.details?.[0]?.field], [400, 'redirectUris/1'], uri)
  }
  const eleven = Array.from({ length: 11 }, () => 'https://app.example/')
  await assert.rejects(ada.api.createOauthClient({}, { name: 'x', redirectUris: eleven }), { status: 400 })
  await assert.rejects(ada.api.createOauthClient({}, { name: '' }), { status: 400 })
  await assert.rejects(ada.api.createOauthClient({}, { name: 'x', webOrigins: [] } as never), { status: 400 }, 'unknown fields')
})

test('answers 401 everywhere to invalid tokens', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const short = await world.write((tables) =>
    issueToken(tables, world.clock, {
      kind: 'access',
      holder: { accountId: ada.accountId, userId: ada.userId },
      subject: 'x',
      scopes: ['all'],
      lifetime: 10,
    }),
  )
  const status = async (authorization?: string, query = ''): Promise<number> => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    return (await fetch(`${world.url}/v1/authorization/userinfo${query}`, { headers })).status
  }
  assert.equal(await status(`Bearer ${short}`), 200)
  assert.equal(await status(`bearer ${short}`), 200, 'schemes know no case')
  assert.equal(await status(undefined, `?access_token=${short}&token=${short}`), 401, 'a token in the address is not read')
  await world.clock.advance(10_000)
  assert.equal(await status(`Bearer ${short}`), 401, 'expired')
  const [head, payload] = ada.token.split('.')
  const garbage = [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer x',
    'Bearer a.b.c',
    `Bearer ${head}.${payload}.`,
    `Bearer ${head}.${payload}.AAAA`,
    `Bearer ${ada.token}x`,
    `Basic ${ada.token}`,
    basic(ada.email, ada.password),
    basic('token-AAAAAA', '00000000-0000-4000-8000-000000000000'),
    'Basic !!!',
    `Digest ${ada.token}`,
    ada.token,
    `Bearer ${'x'.repeat(8000)}`,
  ]
  for (const one of garbage) assert.equal(await status(one), 401, one)
  const operator = await world.write(async (tables) => {
    await tables.operators.insert({ id: 'op', email: 'op@example.com', name: 'Op', passwordHash: 'none', createdAt: 0 })
    return issueToken(tables, world.clock, { kind: 'operator', holder: { operatorId: 'op' }, subject: 'op', scopes: ['all'] })
  })
  assert.equal(await status(`Bearer ${operator}`), 401, 'the operator is no user')
})
