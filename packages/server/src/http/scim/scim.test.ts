import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Messages, Schemas } from 'scimmy'
import { issueToken } from '#core/account/identity/tokens/tokens.ts'
import { withCode } from '#test/http/with-code.ts'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'

interface Directory {
  world: World
  ada: Person
  providerId: string
  ask: (method: string, path: string, body?: object, token?: string) => Promise<{ status: number; body: Resource; headers: Headers }>
}

interface Resource {
  id: string
  active: boolean
  userName: string
  externalId?: string
  scimType?: string
  totalResults: number
  Resources: Resource[]
  members: { value: string }[]
  groups: { display: string }[]
}

const openDirectory = async (t: Parameters<typeof startWorld>[0], database: (typeof databases)[number] = 'sqlite'): Promise<Directory> => {
  const records = new Map<string, string[]>()
  const world = await startWorld(t, { database, replaced: { txtRecords: (name) => Promise.resolve(records.get(name) ?? []) } })
  const ada = await world.newAccount()
  const roles = [{ group: 'engineers', role: 'DEVELOPER' as const }]
  const oidc = { issuer: 'https://login.example', clientId: 'x' }
  const { id: providerId, domains } = await ada.api.createIdentityProvider({}, { name: 'Company', domains: ['example.test'], roles, oidc })
  for (const { record } of domains) records.set(record.name, [record.value])
  await ada.api.verifyProviderDomain({ providerId, domain: 'example.test' })
  const scim = await ada.api.createScimToken({ providerId })
  const ask: Directory['ask'] = async (method, path, body, token = scim.token) => {
    const reply = await fetch(`${scim.url}/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/scim+json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (text !== '') assert.match(reply.headers.get('content-type') ?? '', /^application\/scim\+json/)
    return { status: reply.status, body: (text === '' ? {} : JSON.parse(text)) as Resource, headers: reply.headers }
  }
  return { world, ada, providerId, ask }
}

const registration = (now: number) => ({
  contact: 'sip:a@192.0.2.7',
  ip: '192.0.2.7',
  via: '',
  origin: '',
  path: '',
  q: '',
  port: 5070,
  transport: 'udp',
  userAgent: 'Phone 1',
  callId: 'c',
  cseq: 1,
  expiresAt: now + 60_000,
})

const isOnline = async ({ api }: Person, deviceId: string): Promise<boolean> => (await api.getDevice({ deviceId })).online

const user = (name: string, more: object = {}) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: `${name}@example.test`,
  externalId: `external-${name}`,
  name: { givenName: name, familyName: 'Hopper' },
  emails: [{ value: `${name}@example.test`, type: 'work', primary: true }],
  title: 'Rear admiral',
  active: true,
  ...more,
})

const patch = (...Operations: object[]) => ({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations })

/** Checked by the definitions of another implementation. */
const assertUser = (resource: Resource): void => {
  const known = new Schemas.User(resource, 'out') as unknown as Resource
  assert.equal(known.userName, resource.userName)
}

for (const database of databases) {
  test(`${database}: creates, finds, changes and lists users in the words of RFC 7643`, async (t) => {
    const { ada, ask } = await openDirectory(t, database)
    const created = await ask('POST', 'Users', user('grace'))
    assert.equal(created.status, 201)
    assertUser(created.body)
    assert.equal(created.headers.get('location')?.endsWith(`/scim/v2/Users/${created.body.id}`), true)
    const { id } = created.body
    const added = await ada.api.getUser({ userId: id })
    assert.deepEqual([added.firstname, added.lastname, added.email, added.role], ['grace', 'Hopper', 'grace@example.test', 'USER'])
    assert.equal((await ask('POST', 'Users', user('grace'))).body.scimType, 'uniqueness')
    for (const filter of [
      'userName eq "GRACE@example.test"',
      'externalId eq "external-grace"',
      `emails[type eq "work"].value eq "grace@example.test"`,
    ]) {
      const { body } = await ask('GET', `Users?filter=${encodeURIComponent(filter)}`)
      assert.deepEqual([body.totalResults, body.Resources[0]?.id], [1, id], filter)
      assert.equal(new Messages.ListResponse(body as never).totalResults, 1)
    }
    assert.equal((await ask('GET', `Users?filter=${encodeURIComponent('userName eq "nobody@example.test"')}`)).body.totalResults, 0)
    assert.equal((await ask('GET', `Users?filter=${encodeURIComponent('userName sw "g"')}`)).body.scimType, 'invalidFilter')
    const page = await ask('GET', 'Users?startIndex=2&count=1')
    assert.deepEqual([page.body.totalResults, page.body.Resources.length], [2, 1])
    await ask(
      'PATCH',
      `Users/${id}`,
      patch({ op: 'Replace', path: 'name.givenName', value: 'Amazing' }, { op: 'add', value: { 'name.familyName': 'Grace' } }),
    )
    assert.equal((await ada.api.getUser({ userId: id })).firstname, 'Amazing')
    const replaced = await ask('PUT', `Users/${id}`, user('hopper'))
    assert.deepEqual([replaced.body.userName, replaced.body.externalId], ['hopper@example.test', 'external-hopper'])
    assert.equal((await ask('GET', 'Users/w99')).status, 404)
    for (const path of ['ServiceProviderConfig', 'ResourceTypes']) assert.equal((await ask('GET', path)).status, 200)
  })
}

test('ends phones, tokens and logins at once when a user leaves, and takes them back', async (t) => {
  const { world, ada, ask } = await openDirectory(t)
  const { body } = await ask('POST', 'Users', user('grace'))
  const { accountId } = ada
  const leave = [
    () => ask('PATCH', `Users/${body.id}`, patch({ op: 'Replace', path: 'active', value: 'False' })),
    () => ask('PATCH', `Users/${body.id}`, patch({ op: 'replace', value: { active: false } })),
    () => ask('PUT', `Users/${body.id}`, user('grace', { active: false })),
    () => ask('DELETE', `Users/${body.id}`),
  ]
  for (const [nth, end] of leave.entries()) {
    const holder = { accountId, userId: body.id }
    const session = { kind: 'session', holder, subject: body.id, scopes: ['all'] } as const
    const token = await world.write((tables) => issueToken(tables, world.clock, session))
    const api = world.client(token)
    const personal = await api.createPersonalToken({}, { name: 'Script' })
    const { id: deviceId } = await api.createRegisterDevice({ userId: body.id }, { alias: `Desk ${nth}` })
    const now = world.clock.now()
    await world.write(({ devices }) => devices.register(accountId, deviceId, registration(now), now))
    assert.equal(await isOnline(ada, deviceId), true)
    assert.ok([200, 204].includes((await end()).status))
    await assert.rejects(api.getUserInfo(), { status: 401 }, 'login')
    const basic = `Basic ${Buffer.from(`${personal.tokenId}:${personal.token}`).toString('base64')}`
    assert.equal((await fetch(`${world.url}/v1/account`, { headers: { authorization: basic } })).status, 401, 'token')
    assert.equal(await isOnline(ada, deviceId), false, 'phone')
    assert.equal((await ada.api.getUser({ userId: body.id })).active, false)
    if (nth === 3) assert.equal((await ask('GET', `Users/${body.id}`)).status, 404)
    const back =
      nth === 3
        ? await ask('POST', 'Users', user('grace'))
        : await ask('PATCH', `Users/${body.id}`, patch({ op: 'replace', path: 'active', value: true }))
    assert.deepEqual([back.body.id, back.body.active], [body.id, true])
  }
  const actions = (await ada.api.listAccountAudit({})).items.map(({ action }) => action)
  assert.ok(actions.includes('user.deprovision'))
})

test('gives roles by groups', async (t) => {
  const { ada, ask } = await openDirectory(t)
  const [{ body: grace }, { body: alan }] = [await ask('POST', 'Users', user('grace')), await ask('POST', 'Users', user('alan'))]
  const roles = async () => [(await ada.api.getUser({ userId: grace.id })).role, (await ada.api.getUser({ userId: alan.id })).role]
  const group = await ask('POST', 'Groups', { displayName: 'engineers', members: [{ value: grace.id }] })
  assert.equal(group.status, 201)
  assert.equal((new Schemas.Group(group.body, 'out') as unknown as Resource).members[0]?.value, grace.id)
  assert.deepEqual(await roles(), ['DEVELOPER', 'USER'])
  assert.deepEqual(
    (await ask('GET', `Users/${grace.id}`)).body.groups.map(({ display }) => display),
    ['engineers'],
  )
  const path = `Groups/${group.body.id}`
  await ask('PATCH', path, patch({ op: 'Add', path: 'members', value: [{ value: alan.id }] }))
  assert.deepEqual(await roles(), ['DEVELOPER', 'DEVELOPER'])
  await ask('PATCH', path, patch({ op: 'remove', path: `members[value eq "${grace.id}"]` }))
  assert.deepEqual(await roles(), ['USER', 'DEVELOPER'])
  assert.equal((await ask('GET', `Groups?filter=${encodeURIComponent('displayName eq "engineers"')}`)).body.Resources[0]?.id, group.body.id)
  assert.equal((await ask('PATCH', path, patch({ op: 'add', path: 'members', value: [{ value: 'w99' }] }))).status, 400)
  await ask('PATCH', path, patch({ op: 'replace', path: 'displayName', value: 'others' }))
  assert.deepEqual(await roles(), ['USER', 'USER'])
  assert.equal((await ask('PUT', path, { displayName: 'engineers', members: [] })).body.members.length, 0)
  assert.equal((await ask('DELETE', path)).status, 204)
  assert.equal((await ask('GET', path)).status, 404)
})

test('rejects other tokens, addresses of other domains, and the end of the last way in', async (t) => {
  const { world, ada, providerId, ask } = await openDirectory(t)
  for (const token of ['', ada.token, `scim-${'a'.repeat(43)}`]) assert.equal((await ask('GET', 'Users', undefined, token)).status, 401)
  assert.equal((await ask('POST', 'Users', user('grace', { userName: 'grace@elsewhere.test' }))).status, 400)
  assert.equal((await ask('POST', 'Users', { userName: 17 })).status, 400)
  assert.equal(
    (await ask('PATCH', `Users/${ada.userId}`, patch({ op: 'replace', path: 'active', value: false }))).status,
    409,
    'last administrator',
  )
  const bob = await world.newAccount('Other Ltd')
  assert.equal((await ask('GET', `Users?filter=${encodeURIComponent(`userName eq "${bob.email}"`)}`)).body.totalResults, 0)
  const carol = await world.newUser(ada.accountId, { admin: true })
  await ada.api.enforceSingleSignOn({ providerId }, { enforced: true, breakGlass: [carol.userId] })
  assert.equal((await ask('DELETE', `Users/${carol.userId}`)).status, 409, 'break-glass administrator')
  await carol.api.getUserInfo()
  await carol.api.deleteScimToken({ providerId })
  assert.equal((await ask('GET', 'Users')).status, 401)
  await assert.rejects(bob.api.createScimToken({ providerId }), withCode('identity_provider_not_found'))
})
