import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'
import type { NewNumber } from '#core/kernel/ports/store/number.ts'

const register = (person: Person) => person.api.createRegisterDevice({ userId: person.userId }, { alias: 'Desk' })

const give = (world: World, accountId: string, number: Pick<NewNumber, 'id' | 'e164'> & Partial<NewNumber>) =>
  world.write((tables) => tables.numbers.insert(accountId, { type: 'LANDLINE', state: 'ACTIVE', createdAt: 0, ...number }))

for (const database of databases) {
  test(`${database}: lets the user or an administrator rename a device`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const { id: deviceId } = await register(bob)
    await bob.api.setDeviceAlias({ deviceId }, { value: 'Büro' })
    assert.equal((await bob.api.getDevice({ deviceId })).alias, 'Büro')
    await ada.api.setDeviceAlias({ deviceId }, { value: 'Hall' })
    assert.equal((await bob.api.getDevice({ deviceId })).alias, 'Hall')
    const { id: adas } = await register(ada)
    await assert.rejects(bob.api.setDeviceAlias({ deviceId: adas }, { value: 'Mine' }), { status: 403 })
    await assert.rejects(ada.api.setDeviceAlias({ deviceId: 'e99' }, { value: 'Gone' }), { status: 404 })
    await assert.rejects(ada.api.setDeviceAlias({ deviceId: 'p0' }, { value: 'A line is no device' }), { status: 404 })
    const eve = await world.newAccount()
    await assert.rejects(eve.api.setDeviceAlias({ deviceId }, { value: 'Mine' }), { status: 404 })
  })

  test(`${database}: accepts only own active numbers as caller ID`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const eve = await world.newAccount()
    await give(world, ada.accountId, { id: 'n1', e164: '+4921163554441', endpointId: 'p0' })
    await give(world, ada.accountId, { id: 'n2', e164: '+4915735554442', type: 'MOBILE' })
    await give(world, ada.accountId, { id: 'n3', e164: '+4921163554443', state: 'ADDRESS_PENDING' })
    await give(world, ada.accountId, { id: 'n4', e164: '+4921163554444', state: 'DEACTIVATED' })
    await give(world, eve.accountId, { id: 'n5', e164: '+4921163554445' })
    await give(world, ada.accountId, { id: 'n6', e164: '+4312345678', type: 'INTERNATIONAL' })
    const { id: deviceId } = await register(ada)
    const shown = async () => (await ada.api.getDeviceCallerId({ deviceId })).value
    assert.equal(await shown(), '+4921163554441', 'the number that leads to the user, until another one is chosen')
    await ada.api.setDeviceCallerId({ deviceId }, { value: '0157 355 544 42' })
    assert.equal(await shown(), '+4915735554442')
    await ada.api.setDeviceCallerId({ deviceId }, { value: '+4312345678' })
    assert.equal(await shown(), '+4312345678', 'a number abroad is the own one as well')
    await ada.api.setDeviceCallerId({ deviceId }, { value: 'anonymous' })
    assert.equal(await shown(), 'anonymous')
    for (const value of ['+4921163554443', '+4921163554444', '+4921163554445', '+4921163554446'])
      await assert.rejects(ada.api.setDeviceCallerId({ deviceId }, { value }), { status: 403, name: 'FORBIDDEN' })
    await assert.rejects(ada.api.setDeviceCallerId({ deviceId }, { value: 'nobody' }), { status: 400 })
    assert.equal(await shown(), 'anonymous')
    await ada.api.setDeviceCallerId({ deviceId }, { value: '+4915735554442' })
    await world.write((tables) => tables.numbers.setState(ada.accountId, 'n2', 'DEACTIVATED'))
    assert.equal(await shown(), '+4921163554441', 'a number that is gone is not shown any more')
    await ada.api.setDeviceCallerId({ deviceId }, { value: '' })
    assert.equal(await shown(), '+4921163554441')
    await world.write((tables) => tables.numbers.setState(ada.accountId, 'n1', 'DEACTIVATED'))
    assert.equal(await shown(), 'anonymous')
  })

  test(`${database}: requires booked features for caller ID and tariff announcement`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const { id: deviceId } = await register(ada)
    assert.deepEqual(await ada.api.getTariffAnnouncement({ deviceId }), { enabled: false })
    await ada.api.setTariffAnnouncement({ deviceId }, { enabled: true })
    assert.deepEqual(await ada.api.getTariffAnnouncement({ deviceId }), { enabled: true })
    await world.write(async (tables) => {
      await tables.accounts.cancelFeature(ada.accountId, 'TARIFFANNOUNCEMENT')
      await tables.accounts.cancelFeature(ada.accountId, 'CALLERID')
    })
    for (const refused of [
      () => ada.api.getTariffAnnouncement({ deviceId }),
      () => ada.api.setTariffAnnouncement({ deviceId }, { enabled: false }),
      () => ada.api.getDeviceCallerId({ deviceId }),
      () => ada.api.setDeviceCallerId({ deviceId }, { value: 'anonymous' }),
    ])
      await assert.rejects(refused(), (error: { status: number; body: { code: string } }) => {
        assert.deepEqual([error.status, error.body.code], [403, 'feature_not_booked'])
        return true
      })
  })

  test(`${database}: ends registrations with the old password`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const device = await register(ada)
    const now = world.clock.now()
    const registration = {
      contact: 'sip:a@x',
      ip: '192.0.2.1',
      via: '',
      origin: '',
      port: 5060,
      transport: 'udp',
      userAgent: '',
      path: '',
      q: '',
      callId: 'c',
      cseq: 1,
      expiresAt: now + 60_000,
    }
    await world.write((tables) => tables.devices.register(ada.accountId, device.id, registration, now))
    assert.deepEqual(await ada.api.getDeviceSound({ deviceId: device.id }), {})
    await world.write(({ devices }) => devices.noteSound(ada.accountId, device.id, { state: 'nothing', callId: 'c1', at: 0 }))
    const trouble = { state: 'nothing', callId: 'c1', at: '1970-01-01T00:00:00.000Z' }
    assert.deepEqual(await ada.api.getDeviceSound({ deviceId: device.id }), { trouble })
    const { password } = await ada.api.resetDevicePassword({ deviceId: device.id })
    assert.ok(password.length >= 20)
    assert.notEqual(password, device.credentials.password)
    const after = await ada.api.getDevice({ deviceId: device.id })
    assert.deepEqual(await ada.api.readDeviceCredentials({ deviceId: device.id }), { password })
    assert.equal(after.online, false)
    const external = await ada.api.createExternalDevice({ userId: ada.userId }, { alias: 'Home', number: '+4921163554444' })
    await assert.rejects(ada.api.resetDevicePassword({ deviceId: external.id }), { status: 400 })
    const bob = await world.newUser(ada.accountId)
    await assert.rejects(bob.api.resetDevicePassword({ deviceId: device.id }), { status: 403 })
  })

  test(`${database}: changes the target number, the local prefix and the single-row setting`, async (t) => {
    const world = await startWorld(t, { database })
    const { api, userId, accountId } = await world.newAccount()
    const { id: deviceId } = await api.createExternalDevice({ userId }, { alias: 'Home', number: '+4921163554444' })
    await api.setIncomingCallDisplay({ deviceId }, { incomingCallDisplay: 'CALLED_NUMBER' })
    await api.setExternalTargetNumber({ deviceId }, { number: '0049 211 63554445' })
    const device = await api.getDevice({ deviceId })
    assert.deepEqual(device.type === 'EXTERNAL' && [device.number, device.incomingCallDisplayState], ['+4921163554445', 'CALLED_NUMBER'])
    for (const number of ['112', '0900 1234567'])
      await assert.rejects(api.setExternalTargetNumber({ deviceId }, { number }), withCode('number_invalid', 'number'), number)

    const { id: phone } = await api.createRegisterDevice({ userId }, { alias: 'Desk' })
    await assert.rejects(api.setIncomingCallDisplay({ deviceId: phone }, { incomingCallDisplay: 'CALLED_NUMBER' }), { status: 400 })
    await assert.rejects(api.setExternalTargetNumber({ deviceId: phone }, { number: '+4921163554445' }), { status: 400 })

    assert.deepEqual(await api.getLocalPrefix({ deviceId: phone }), { value: '', active: false })
    await api.setLocalPrefix({ deviceId: phone }, { value: '0211', active: true })
    assert.deepEqual(await api.getLocalPrefix({ deviceId: phone }), { value: '0211', active: true })
    await api.setLocalPrefix({ deviceId: phone }, { value: '0211', active: false })
    assert.deepEqual(await api.getLocalPrefix({ deviceId: phone }), { value: '0211', active: false })
    for (const value of ['', 'x', '+49', '12345678901'])
      await assert.rejects(api.setLocalPrefix({ deviceId: phone }, { value, active: true }), { status: 400 })

    assert.deepEqual(await api.getSingleRowDisplay({ deviceId: phone }), { enabled: false })
    await api.setSingleRowDisplay({ deviceId: phone }, { enabled: true })
    assert.deepEqual(await api.getSingleRowDisplay({ deviceId: phone }), { enabled: true })
    await assert.rejects(api.getSingleRowDisplay({ deviceId: 'e7' }), { status: 404 })

    await api.setDeviceCallerId({ deviceId: phone }, { value: 'anonymous' })
    await api.resetDevicePassword({ deviceId: phone })
    const audit = await world.running.deps.store.read.audit.list(accountId, { afterSeq: 0, limit: 20 })
    assert.deepEqual(
      audit.map(({ actor, action }) => `${actor} ${action}`),
      ['create', 'set_number', 'create', 'set_caller_id', 'reset_password'].map((verb) => `user:${userId} device.${verb}`),
    )
  })
}
