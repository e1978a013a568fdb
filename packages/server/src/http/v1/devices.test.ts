import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'
import { maxDevices } from '#core/account/devices/create-device.ts'

const register = (person: Person, alias = 'Desk') => person.api.createRegisterDevice({ userId: person.userId }, { alias })

const registration = (contact: string, expiresAt: number) => ({
  contact,
  ip: '192.0.2.7',
  via: '',
  origin: '',
  port: 5070,
  transport: 'udp',
  userAgent: 'Phone 1',
  path: '',
  q: '',
  callId: 'c1',
  cseq: 1,
  expiresAt,
})

const actions = async (world: World, accountId: string) =>
  (await world.running.deps.store.read.audit.list(accountId, { afterSeq: 0, limit: 100 })).map(
    ({ action, target }) => `${action} ${target}`,
  )

test("returns the edge's host name to phones from every node", async (t) => {
  const settings = {
    OFFHOOK_SIP_DOMAIN: 'sip.example.org',
    OFFHOOK_PUBLIC_ADDRESS: '203.0.113.8',
    OFFHOOK_SIP_WS_URL: 'wss://sip.example.org/sip',
  }
  const world = await startWorld(t, { settings })
  const { sipServer, outboundProxy, sipServerWebsocketUrl } = (await register(await world.newAccount())).credentials
  assert.deepEqual([sipServer, outboundProxy], ['sip.example.org', 'sip.example.org:5060'])
  assert.equal(sipServerWebsocketUrl, 'wss://sip.example.org/sip')
})

for (const database of databases) {
  test(`${database}: returns credentials for a new SIP phone, which rings with its user's lines`, async (t) => {
    const world = await startWorld(t, { database, settings: { OFFHOOK_PUBLIC_ADDRESS: 'sip.example.org' } })
    const server = `sip.example.org:${world.running.deps.installation.sip.port}`
    const ada = await world.newAccount()
    const made = await register(ada)
    const device = made
    const read = await ada.api.getDevice({ deviceId: made.id })
    assert.deepEqual(read, { ...made, credentials: { ...made.credentials, password: '' } })
    assert.equal(device.type, 'REGISTER')
    assert.equal(device.id, 'e0')
    assert.equal(device.alias, 'Desk')
    assert.deepEqual([device.online, device.dnd, device.registered], [false, false, []])
    assert.deepEqual(
      device.activePhonelines.map(({ id }) => id),
      ['p0'],
    )
    const { password, ...credentials } = device.credentials
    assert.match(password, /^[A-Za-z0-9]{20,}$/)
    assert.deepEqual(credentials, {
      username: `${ada.accountId}e0`,
      sipServer: server,
      outboundProxy: server,
      sipServerWebsocketUrl: `${world.url.replace('http', 'ws')}/sip`,
    })
    const user = await world.running.deps.store.read.users.find(ada.accountId, ada.userId)
    assert.equal(user?.defaultDevice, 'e0', 'the first device is the default')
    const stored = await world.running.deps.store.read.devices.find(ada.accountId, 'e0')
    assert.ok(!JSON.stringify(stored).includes(password), 'the password is not readable in the database')
    assert.deepEqual(await actions(world, ada.accountId), ['device.create e0'])
  })

  test(`${database}: derives online from the registration, without a write at expiry`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const { id } = await register(ada)
    const now = world.clock.now()
    const { read } = world.running.deps.store
    await world.write((tables) => tables.devices.register(ada.accountId, id, registration('sip:a@192.0.2.7', now + 60_000), now))
    const online = await ada.api.getDevice({ deviceId: id })
    assert.equal(online.online, true)
    assert.deepEqual(online.type === 'REGISTER' && online.registered, [{ userAgent: 'Phone 1', ip: '192.0.2.7', port: 5070 }])
    await world.clock.advance(59_999)
    assert.equal((await ada.api.getDevice({ deviceId: id })).online, true)
    await world.clock.advance(1)
    const offline = await ada.api.getDevice({ deviceId: id })
    assert.equal(offline.online, false)
    assert.deepEqual(offline.type === 'REGISTER' && offline.registered, [])
    assert.equal((await read.devices.registrations(ada.accountId, [id], now)).get(id)?.length, 1, 'the row is still there')
  })

  test(`${database}: renews, replaces and removes registrations`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const { id, credentials } = await register(ada)
    const now = world.clock.now()
    const { read } = world.running.deps.store
    const say = (over: object) =>
      world.write((tables) =>
        tables.devices.register(ada.accountId, id, { ...registration('sip:a@x', now + 1000), ...over }, world.clock.now()),
      )
    const live = async () => (await read.devices.registrations(ada.accountId, [id], world.clock.now())).get(id) ?? []

    assert.equal(await say({ cseq: 5 }), true)
    assert.equal(await say({ cseq: 6, expiresAt: now + 9000 }), true)
    assert.equal(await say({ cseq: 5, expiresAt: now + 1 }), false, 'an older request of the same phone changes nothing')
    assert.deepEqual(
      (await live()).map(({ expiresAt }) => expiresAt),
      [now + 9000],
    )
    assert.equal(await say({ callId: 'restarted', cseq: 1, expiresAt: now + 2000 }), true, 'a restarted phone counts anew')
    await say({ contact: 'sip:b@x', expiresAt: now + 8000 })
    assert.equal((await live()).length, 2)
    await world.clock.advance(3000)
    assert.deepEqual(
      (await live()).map(({ contact }) => contact),
      ['sip:b@x'],
    )
    await say({ contact: 'sip:c@x', expiresAt: now + 9000 })
    assert.equal((await read.devices.registrations(ada.accountId, [id], 0)).get(id)?.length, 2, 'registering sweeps what expired')
    await world.write((tables) => tables.devices.unregister(ada.accountId, id, 'sip:b@x'))
    assert.equal((await live()).length, 1)
    await world.write((tables) => tables.devices.unregister(ada.accountId, id))
    assert.equal((await live()).length, 0)

    const identity = await read.devices.findBySipUsername(credentials.username)
    assert.deepEqual([identity?.accountId, identity?.deviceId], [ada.accountId, id])
    assert.equal(world.running.deps.vault.open(identity?.passwordSealed ?? ''), credentials.password)
    await world.write((tables) => tables.users.disable(ada.accountId, ada.userId, now))
    assert.equal(await read.devices.findBySipUsername(credentials.username), undefined)
  })

  test(`${database}: lists devices by kind and limits them per account`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    await register(bob)
    const external = await bob.api.createExternalDevice({ userId: bob.userId }, { alias: 'Kitchen', number: '0211 635 544 44' })
    assert.deepEqual(
      [external.id, external.number, external.online, external.incomingCallDisplayState],
      ['x0', '+4921163554444', true, 'CALLER_NUMBER'],
    )
    const mobile = await ada.api.createUserDevice({ userId: bob.userId }, { type: 'MOBILE', alias: 'Pocket' })
    assert.deepEqual(mobile.type === 'MOBILE' && [mobile.id, mobile.simState, mobile.online, mobile.esim], ['y0', 'INACTIVE', false, false])
    const ids = async (list: Promise<{ items: { id: string }[] }>) => (await list).items.map(({ id }) => id)
    assert.deepEqual(await ids(bob.api.listUserDevices({ userId: bob.userId })), ['e0', 'x0', 'y0'])
    assert.deepEqual(await ids(bob.api.listRegisterDevices({ userId: bob.userId })), ['e0'])
    assert.deepEqual(await ids(bob.api.listMobileDevices({ userId: bob.userId })), ['y0'])
    assert.deepEqual(await ids(bob.api.listExternalDevices({ userId: bob.userId })), ['x0'])
    assert.deepEqual(await ids(ada.api.listUserDevices({ userId: ada.userId })), [])

    const browser = await bob.api.putBrowserDevice({ userId: bob.userId })
    assert.deepEqual([browser.id, browser.type, browser.online, browser.pages], ['e1', 'BROWSER', false, []])
    assert.deepEqual(
      browser.activePhonelines.map(({ id }) => id),
      (await bob.api.listPhonelines({ userId: bob.userId })).items.map(({ id }) => id),
    )
    assert.equal((await bob.api.putBrowserDevice({ userId: bob.userId })).id, 'e1', 'each user has one')
    assert.deepEqual(await ids(bob.api.listRegisterDevices({ userId: bob.userId })), ['e0'], 'it is no SIP phone')
    await assert.rejects(bob.api.putBrowserDevice({ userId: ada.userId }), { status: 403 })

    await world.write(async (tables) => {
      for (let n = 4; n < maxDevices; n++)
        // the browser phone does not count
        await tables.devices.insert(ada.accountId, { owner: ada.userId, alias: 'Spare', type: 'REGISTER', at: 0 })
    })
    const rush = await Promise.allSettled([1, 2, 3, 4].map(() => register(bob)))
    assert.equal(rush.filter(({ status }) => status === 'fulfilled').length, 1, 'one place was left')
    await assert.rejects(register(bob), withCode('device_limit_reached'))
    const eve = await world.newAccount()
    assert.equal((await register(eve)).id, 'e0')
  })

  test(`${database}: removes a deleted device from everything and never reuses its id`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const { id, credentials } = await register(ada)
    const other = await register(ada)
    const now = world.clock.now()
    await world.write(async (tables) => {
      await tables.devices.register(ada.accountId, id, registration('sip:a@x', now + 60_000), now)
      const group = await tables.groups.create(ada.accountId, {
        alias: 'Sales',
        strategy: 'PARALLEL',
        ringSeconds: 20,
        departmentId: undefined,
        at: now,
      })
      await tables.groups.addDevice(ada.accountId, group, id)
    })
    assert.deepEqual((await ada.api.getDevice({ deviceId: id })).activeGroups, [{ id: 'g0', alias: 'Sales' }])
    await ada.api.deleteDevice({ deviceId: id })
    const { read } = world.running.deps.store
    await assert.rejects(ada.api.getDevice({ deviceId: id }), { status: 404 })
    await assert.rejects(ada.api.deleteDevice({ deviceId: id }), { status: 404 })
    assert.equal((await read.users.find(ada.accountId, ada.userId))?.defaultDevice, undefined)
    assert.equal(await read.devices.findBySipUsername(credentials.username), undefined)
    assert.equal((await read.devices.registrations(ada.accountId, [id], now)).size, 0)
    assert.equal((await read.devices.phonelines(ada.accountId, [id])).size, 0)
    assert.equal((await read.devices.groups(ada.accountId, [id])).size, 0)
    assert.equal(await read.extensions.find(ada.accountId, id), undefined)
    assert.equal((await register(ada)).id, 'e2')
    assert.equal((await ada.api.getDevice({ deviceId: other.id })).activePhonelines.length, 1)
    assert.ok((await actions(world, ada.accountId)).includes('device.delete e0'))
  })

  test(`${database}: sets do not disturb and the emergency address`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const eve = await world.newAccount()
    const place = {
      poBox: '',
      extendedAddress: '',
      street: 'Gasse',
      houseNumber: '1',
      locality: 'Köln',
      region: '',
      postalCode: '50667',
      country: 'DE',
    }
    const [own, foreign] = await world.write(async (tables) => [
      await tables.addresses.insert(ada.accountId, place, 0),
      await tables.addresses.insert(eve.accountId, place, 0),
    ])
    const { id: deviceId } = await register(ada)
    await ada.api.changeDevice({ deviceId }, { dnd: true, emergencyAddressId: own })
    const device = await ada.api.getDevice({ deviceId })
    assert.deepEqual([device.dnd, device.emergencyAddressId, device.addressUrl], [true, own, `/v1/addresses/${own}`])
    await ada.api.changeDevice({ deviceId }, { dnd: false })
    assert.equal((await ada.api.getDevice({ deviceId })).emergencyAddressId, own, 'what is left out stays')
    await ada.api.changeDevice({ deviceId }, { emergencyAddressId: null })
    assert.equal((await ada.api.getDevice({ deviceId })).emergencyAddressId, undefined)
    const changes = (await actions(world, ada.accountId)).filter((action) => action.includes('emergency'))
    assert.equal(changes.length, 2, 'who says where help is sent to is written down')
    for (const emergencyAddressId of [foreign, 999_999])
      await assert.rejects(
        ada.api.changeDevice({ deviceId }, { emergencyAddressId }),
        (error: { status: number; body: { details: { field: string }[] } }) => {
          assert.equal(error.status, 400)
          assert.equal(error.body.details[0]?.field, 'emergencyAddressId')
          return true
        },
      )
    for (const emergencyAddressId of [1.5, -1, 2 ** 40])
      await assert.rejects(ada.api.changeDevice({ deviceId }, { emergencyAddressId }), { status: 400 })
  })

  test(`${database}: checks who may see and change a device`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    const { id: deviceId } = await register(ada)
    const { id: bobs } = await register(bob)
    assert.equal((await ada.api.getDevice({ deviceId: bobs })).id, bobs, 'an administrator sees all')
    for (const refused of [
      () => bob.api.getDevice({ deviceId }),
      () => bob.api.changeDevice({ deviceId }, { dnd: true }),
      () => bob.api.deleteDevice({ deviceId }),
      () => bob.api.listUserDevices({ userId: ada.userId }),
      () => bob.api.createRegisterDevice({ userId: ada.userId }, { alias: 'Mine' }),
      () => bob.api.createMobileDevice({ userId: bob.userId }, { alias: 'Mine' }),
      () => bob.api.createUserDevice({ userId: bob.userId }, { type: 'MOBILE', alias: 'Mine' }),
    ])
      await assert.rejects(refused(), { status: 403 })
    await register(eve)
    for (const missing of [
      () => eve.api.getDevice({ deviceId: bobs }),
      () => eve.api.deleteDevice({ deviceId: bobs }),
      () => eve.api.changeDevice({ deviceId: bobs }, { dnd: true }),
      () => eve.api.listUserDevices({ userId: bob.userId }),
      () => ada.api.getDevice({ deviceId: 'w0' }),
      () => ada.api.getDevice({ deviceId: 'nothing at all' }),
    ])
      await assert.rejects(missing(), { status: 404 })
  })

  test(`${database}: names the field of an invalid request`, async (t) => {
    const world = await startWorld(t, { database })
    const { api, userId } = await world.newAccount()
    const naming = (field: string) => (error: { status: number; body: { details?: { field: string }[] } }) => {
      assert.equal(error.status, 400)
      assert.equal(error.body.details?.[0]?.field, field)
      return true
    }
    await assert.rejects(api.createUserDevice({ userId }, { type: 'EXTERNAL', alias: 'A' }), naming('number'))
    await assert.rejects(api.createUserDevice({ userId }, { type: 'REGISTER', alias: 'A', number: '+4921163554444' }), naming('number'))
    await assert.rejects(api.createExternalDevice({ userId }, { alias: 'A', number: '110' }), naming('number'))
    await assert.rejects(api.createExternalDevice({ userId }, { alias: 'A', number: '0900 1234567' }), naming('number'))
    await assert.rejects(api.createRegisterDevice({ userId }, { alias: '' }), naming('alias'))
    await assert.rejects(api.createRegisterDevice({ userId }, { alias: 'A\r\nVia: x' }), naming('alias'))
    await assert.rejects(api.createUserDevice({ userId }, { type: 'TOASTER' as 'MOBILE', alias: 'A' }), naming('type'))
    assert.deepEqual((await api.listUserDevices({ userId })).items, [])
  })
}

test('shows passwords only with a new device, on request, and to tokens that name the scope', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  const { id: deviceId, credentials } = await ada.api.createRegisterDevice({ userId: ada.userId }, { alias: 'Desk' })
  assert.ok(credentials.password.length >= 20)
  const read = async ({ api }: Pick<typeof ada, 'api'>) =>
    JSON.stringify([
      await api.getDevice({ deviceId }),
      await api.listUserDevices({ userId: ada.userId }),
      await api.listRegisterDevices({ userId: ada.userId }),
    ])
  const seen = await read(ada)
  assert.equal(seen.includes(credentials.password), false)
  assert.equal(seen.match(/"password":""/g)?.length, 3, 'the field is there, so that programs find the shape they know')
  assert.equal(seen.match(new RegExp(credentials.username, 'g'))?.length, 3)

  const withScopes = async (...scopes: ('devices:read' | 'devices:credentials:read')[]) => {
    const { tokenId, token } = await ada.api.createPersonalToken({}, { name: scopes.join(), scopes })
    const authorization = `Basic ${Buffer.from(`${tokenId}:${token}`).toString('base64')}`
    return (path: string, method = 'GET') => fetch(`${world.url}${path}`, { method, headers: { authorization } })
  }
  const reader = await withScopes('devices:read')
  assert.equal((await (await reader(`/v1/devices/${deviceId}`)).text()).includes(credentials.password), false)
  assert.equal((await reader(`/v1/devices/${deviceId}/credentials`)).status, 403)
  assert.equal((await reader(`/v1/devices/${deviceId}/credentials/softphonelink`, 'POST')).status, 403, 'the code hands it out, too')
  const named = await withScopes('devices:read', 'devices:credentials:read')
  assert.ok((await (await named(`/v1/devices/${deviceId}`)).text()).includes(credentials.password))

  assert.deepEqual(await ada.api.readDeviceCredentials({ deviceId }), { password: credentials.password })
  await assert.rejects(bob.api.readDeviceCredentials({ deviceId }), { status: 403 })
  const { items } = await ada.api.listAccountAudit({})
  const looked = items.filter(({ action }) => action === 'device.credentials.read')
  assert.deepEqual(
    looked.map(({ target }) => target),
    [deviceId, deviceId],
    'each look stands in the audit log, and no password',
  )
  assert.equal(JSON.stringify(items).includes(credentials.password), false)
})
