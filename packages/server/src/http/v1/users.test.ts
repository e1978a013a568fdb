import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withCode } from '#test/http/with-code.ts'
import { databases, startWorld } from '#test/world/world.ts'

for (const database of databases) {
  test(`${database}: shows users themselves, administrators the whole account, and no one other accounts`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const outsideNumber = await world.newAccount()
    const element = (person: typeof bob, admin: boolean, lastname: string) => ({
      id: person.userId,
      firstname: 'Ada',
      lastname,
      email: person.email,
      defaultDevice: '',
      admin,
      role: admin ? 'ADMIN' : 'USER',
      active: true,
      locale: 'en_US',
      localeChosen: false,
      roleIds: [],
      busyOnBusy: false,
      timezone: 'Europe/Berlin',
    })
    const [adaElement, bobElement] = [element(ada, true, 'L1'), element(bob, false, 'L2')]
    assert.deepEqual(await ada.api.listUsers(), { items: [adaElement, bobElement] })
    assert.deepEqual(await bob.api.listUsers(), { items: [bobElement] })
    assert.deepEqual(await ada.api.getUser({ userId: bob.userId }), bobElement)
    assert.deepEqual(await bob.api.getUser({ userId: bob.userId }), bobElement)
    await assert.rejects(bob.api.getUser({ userId: ada.userId }), { status: 403 })
    assert.equal((await outsideNumber.api.getUser({ userId: 'w0' })).email, outsideNumber.email, 'ids count in each account')
    await assert.rejects(outsideNumber.api.getUser({ userId: bob.userId }), { status: 404 })
    for (const userId of ['w99', 'x', 'W0', ' w0', '0', "w0' or 1=1", 'e0'])
      await assert.rejects(ada.api.getUser({ userId }), { status: 404 }, userId)

    const addressId = await world.write(async (tables) => {
      const place = {
        poBox: '',
        extendedAddress: '',
        street: 'X',
        houseNumber: '1',
        locality: 'Y',
        region: '',
        postalCode: '1',
        country: 'DE',
      }
      const id = await tables.addresses.insert(ada.accountId, place, 0)
      await tables.users.update(ada.accountId, bob.userId, { addressId: id })
      return id
    })
    assert.equal((await bob.api.getUser({ userId: bob.userId })).addressId, String(addressId))
  })

  test(`${database}: accepts only the user's own device as default`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const at = world.clock.now()
    const { adas, bobs, mobile, external } = await world.write(async ({ extensions }) => ({
      adas: await extensions.create(ada.accountId, { kind: 'e', alias: 'desk', owner: ada.userId, at }),
      bobs: await extensions.create(ada.accountId, { kind: 'e', alias: 'desk', owner: bob.userId, at }),
      mobile: await extensions.create(ada.accountId, { kind: 'y', alias: 'mobile', owner: bob.userId, at }),
      external: await extensions.create(ada.accountId, { kind: 'x', alias: 'home', owner: bob.userId, at }),
    }))
    const { userId } = bob
    for (const deviceId of [bobs, mobile, external]) {
      await bob.api.setDefaultDevice({ userId }, { deviceId })
      assert.equal((await bob.api.getUser({ userId })).defaultDevice, deviceId)
    }
    await ada.api.setDefaultDevice({ userId }, { deviceId: bobs })
    assert.equal((await bob.api.getUser({ userId })).defaultDevice, bobs)
    for (const deviceId of [adas, 'e99', 'y99'])
      await assert.rejects(bob.api.setDefaultDevice({ userId }, { deviceId }), { status: 404, name: 'RESOURCE_NOT_FOUND' })
    for (const deviceId of ['p0', 'w0', 'e', 'e01', 'E0', '', 'x'.repeat(100)])
      await assert.rejects(bob.api.setDefaultDevice({ userId }, { deviceId }), { status: 400 }, deviceId)
    await assert.rejects(bob.api.setDefaultDevice({ userId: ada.userId }, { deviceId: adas }), { status: 403 })
    await assert.rejects(ada.api.setDefaultDevice({ userId: 'w99' }, { deviceId: adas }), { status: 404 })
    await assert.rejects(bob.api.setDefaultDevice({ userId }, { deviceID: bobs } as never), { status: 400 })
    await world.write((tables) => tables.extensions.remove(ada.accountId, mobile, at))
    await assert.rejects(bob.api.setDefaultDevice({ userId }, { deviceId: mobile }), { status: 404 })
  })
}

for (const database of databases)
  test(`${database}: lets administrators create users, who can log in immediately`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const grace = { email: 'Grace@Example.com', firstname: 'Grace', lastname: 'Hopper' }
    const password = 'a good and own password'
    await assert.rejects(bob.api.addUser({}, grace), { status: 403 })
    await ada.api.createInvitation({}, { email: 'grace@example.com' })
    const added = await ada.api.addUser({}, { ...grace, role: 'DEVELOPER', timezone: 'Europe/Paris', lineName: 'Desk', password })
    const { id: userId } = added
    const { token } = await world.client().createSessionToken({}, { username: 'grace@example.com', password })
    assert.equal((await world.client(token).getUserInfo()).sub, userId)
    assert.deepEqual(await ada.api.getUser({ userId }), added)
    assert.deepEqual([added.email, added.role, added.timezone, added.locale], ['grace@example.com', 'DEVELOPER', 'Europe/Paris', 'en_US'])
    assert.deepEqual(
      (await ada.api.listPhonelines({ userId })).items.map(({ alias }) => alias),
      ['Desk'],
    )
    assert.deepEqual((await ada.api.listInvitations()).items, [], 'the invitation is withdrawn')
    const audited = await world.write((tables) => tables.audit.list(ada.accountId, { afterSeq: 0, limit: 100 }))
    assert.equal(audited.filter(({ action, target }) => action === 'user.create' && target === userId).length, 1)

    const { password: generated = '' } = await ada.api.addUser({}, { ...grace, email: 'alan@example.com' })
    await world.client().createSessionToken({}, { username: 'alan@example.com', password: generated })
    for (const [input, code] of [
      [grace, 'email_taken'],
      [{ ...grace, email: bob.email }, 'email_taken'],
      [{ ...grace, email: 'x@example.com', password: 'short' }, 'password_weak'],
      [{ ...grace, email: 'x@example.com', timezone: 'Mars/Base' }, 'parameter_invalid'],
    ] as const)
      await assert.rejects(ada.api.addUser({}, input), withCode(code))
  })
