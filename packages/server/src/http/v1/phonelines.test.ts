import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'
import type { PushExchange } from '#core/kernel/ports/store/push.ts'

const number = (id: string, e164: string, endpointId?: string) => ({
  id,
  e164,
  type: 'LANDLINE' as const,
  state: 'ACTIVE' as const,
  createdAt: 0,
  ...(endpointId !== undefined && { endpointId }),
})

const auditOf = async (world: World, { accountId }: Person) =>
  (await world.running.deps.store.read.audit.list(accountId, { afterSeq: 0, limit: 100 })).map(
    ({ action, target }) => `${action} ${target}`,
  )

for (const database of databases) {
  test(`${database}: lets administrators create and delete phone lines of one user`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    assert.deepEqual(await bob.api.listPhonelines({ userId: 'w1' }), { items: [{ id: 'p1', alias: 'Ada L2' }] })
    await assert.rejects(bob.api.listPhonelines({ userId: 'w0' }), { status: 403 })
    await assert.rejects(ada.api.listPhonelines({ userId: 'w9' }), { status: 404 })
    await assert.rejects(bob.api.createPhoneline({ userId: 'w1' }, { alias: 'Second' }), { status: 403 })
    await assert.rejects(bob.api.deletePhoneline({ userId: 'w1', phonelineId: 'p1' }), { status: 403 })

    const { id: deviceId } = await bob.api.createRegisterDevice({ userId: 'w1' }, { alias: 'Desk' })
    const line = await ada.api.createPhoneline({ userId: 'w1' }, { alias: 'Second' })
    assert.deepEqual(line, { id: 'p2', alias: 'Second' })
    const named = { userId: 'w1', phonelineId: 'p2' }
    assert.deepEqual(await bob.api.listPhonelineDevices(named), { items: [{ id: deviceId, alias: 'Desk', type: 'REGISTER' }] })
    assert.deepEqual(
      (await bob.api.listPhonelineVoicemails(named)).items.map(({ alias }) => alias),
      ['Voicemail Second'],
    )

    await bob.api.changePhoneline(named, { alias: 'Sales' })
    assert.deepEqual(await bob.api.getPhoneline(named), { id: 'p2', alias: 'Sales' })
    await assert.rejects(ada.api.getPhoneline({ userId: 'w0', phonelineId: 'p2' }), { status: 404 }, 'a line of another user')
    await assert.rejects(eve.api.getPhoneline({ userId: 'w0', phonelineId: 'p2' }), { status: 404 }, 'a line of another account')
    await assert.rejects(ada.api.getPhoneline({ userId: 'w1', phonelineId: 'f1' }), { status: 404 }, 'no line at all')

    await ada.api.deletePhoneline(named)
    await assert.rejects(bob.api.getPhoneline(named), withCode('phoneline_not_found'))
    assert.equal((await ada.api.createPhoneline({ userId: 'w1' }, { alias: 'Third' })).id, 'p3', 'ids are never given twice')
    assert.deepEqual(await auditOf(world, ada).then((all) => all.filter((one) => one.startsWith('phoneline'))), [
      'phoneline.create p2',
      'phoneline.delete p2',
      'phoneline.create p3',
    ])
  })

  test(`${database}: rejects names that phones cannot display`, async (t) => {
    const world = await startWorld(t, { database })
    const { api } = await world.newAccount()
    const line = { userId: 'w0', phonelineId: 'p0' }
    for (const alias of ['', '  ', 'Desk\r\nVia: x', 'Desk\u0007'])
      for (const naming of [
        () => api.createPhoneline({ userId: 'w0' }, { alias }),
        () => api.changePhoneline(line, { alias }),
        () => api.createParallelForwarding(line, { alias, destination: '+4921112345678' }),
        () => api.changeFaxline({ userId: 'w0', faxlineId: 'f0' }, { alias }),
        () => api.changeSms({ userId: 'w0', smsId: 's0' }, { alias }),
        () => api.createGroup({}, { alias }),
        () => api.createRegisterDevice({ userId: 'w0' }, { alias }),
      ])
        await assert.rejects(naming(), withCode('parameter_invalid', 'alias'), JSON.stringify(alias))
    await api.changePhoneline(line, { alias: 'Büro 1. Stock ☎' })
  })

  test(`${database}: rejects deleting a line while it is a routing target`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const { accountId } = ada
    await world.newUser(accountId)
    await world.write((tables) => tables.numbers.insert(accountId, number('n1', '+4921112345678', 'p1')))
    const named = { userId: 'w1', phonelineId: 'p1' }
    const { items } = await ada.api.listPhonelineNumbers(named)
    assert.deepEqual(
      items.map(({ id, number, endpointId }) => ({ id, number, endpointId })),
      [{ id: 'n1', number: '+4921112345678', endpointId: 'p1' }],
    )
    assert.deepEqual((await ada.api.listPhonelineNumbers({ userId: 'w0', phonelineId: 'p0' })).items, [])
    await assert.rejects(ada.api.deletePhoneline(named), withCode('endpoint_in_use', 'p1'))
    await world.write((tables) => tables.numbers.setRouting(accountId, 'n1', {}))

    const own = { userId: 'w0', phonelineId: 'p0' }
    await ada.api.replaceForwardings(own, { forwardings: [{ destination: 'p1', timeout: 20, active: false }] })
    await assert.rejects(ada.api.deletePhoneline(named), withCode('endpoint_in_use', 'p0', 'p1'))
    const { id } = await ada.api.createParallelForwarding(own, { alias: 'Bob', destination: 'p1' })
    await ada.api.replaceForwardings(own, { forwardings: [{ destination: 'v1', timeout: 20, active: true }] })
    await assert.rejects(ada.api.deletePhoneline(named), withCode('endpoint_in_use', 'p0', 'p1'))
    await ada.api.deleteParallelForwarding({ ...own, parallelForwardingId: id })
    await assert.rejects(ada.api.deletePhoneline(named), withCode('endpoint_in_use', 'p0', 'v1'), 'its voicemail goes with it')
    assert.equal((await ada.api.getPhoneline(named)).id, 'p1', 'a refused deletion changes nothing')

    await ada.api.replaceForwardings(own, { forwardings: [] })
    await ada.api.replaceForwardings(named, { forwardings: [{ destination: 'v1', timeout: 20, active: true }] })
    await world.write(async (tables) => {
      await tables.numbers.setRouting(accountId, 'n1', { endpointId: 'p1' })
      await tables.numbers.setState(accountId, 'n1', 'DEACTIVATED')
      await tables.pushSettings.save(accountId, { incomingUrl: '', outgoingUrl: '', log: false, format: 'form', whitelist: ['p1'] })
    })
    await ada.api.deletePhoneline(named)
    const { read } = world.running.deps.store
    assert.equal((await read.numbers.find(accountId, 'n1'))?.endpointId, undefined, 'a number that is over keeps no line, and forgets it')
    assert.deepEqual((await read.pushSettings.find(accountId))?.whitelist, [], 'and no list names a line that is gone')
    await assert.rejects(ada.api.getVoicemail({ voicemailId: 'v1' }), { status: 404 })
  })

  test(`${database}: changes the switches of a line and its ringing devices`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    const named = { userId: 'w1', phonelineId: 'p1' }
    assert.deepEqual(await bob.api.getBlockAnonymous(named), { enabled: false, target: 'REJECT' })
    await bob.api.setBlockAnonymous(named, { enabled: true, target: 'VOICEMAIL' })
    await bob.api.setBlockAnonymous(named, { enabled: false })
    assert.deepEqual(await bob.api.getBlockAnonymous(named), { enabled: false, target: 'VOICEMAIL' })
    await assert.rejects(
      bob.api.setBlockAnonymous(named, { enabled: true, target: 'HELL' as 'REJECT' }),
      withCode('parameter_invalid', 'target'),
    )
    await bob.api.setBusyOnBusy(named, { enabled: true })
    assert.deepEqual(await bob.api.getBusyOnBusy(named), { enabled: true })
    assert.deepEqual(await ada.api.getBusyOnBusy({ userId: 'w0', phonelineId: 'p0' }), { enabled: false }, 'other lines stay as they are')

    const his = await bob.api.createRegisterDevice({ userId: 'w1' }, { alias: 'Desk' })
    const hers = await ada.api.createRegisterDevice({ userId: 'w0' }, { alias: 'Phone' })
    const foreign = await eve.api.createRegisterDevice({ userId: 'w0' }, { alias: 'Eve' })
    assert.deepEqual(foreign.id, 'e0')
    await bob.api.removePhonelineDevice({ ...named, deviceId: his.id })
    assert.deepEqual(await bob.api.listPhonelineDevices(named), { items: [] })
    await assert.rejects(bob.api.removePhonelineDevice({ ...named, deviceId: his.id }), { status: 404 })
    await bob.api.addPhonelineDevice(named, { deviceId: his.id })
    await bob.api.addPhonelineDevice(named, { deviceId: his.id })
    await assert.rejects(bob.api.addPhonelineDevice(named, { deviceId: hers.id }), { status: 403 })
    await assert.rejects(bob.api.addPhonelineDevice(named, { deviceId: 'e9' }), { status: 404 })
    await assert.rejects(bob.api.addPhonelineDevice(named, { deviceId: 'p1' }), { status: 404 })
    await ada.api.addPhonelineDevice(named, { deviceId: hers.id })
    assert.deepEqual(
      (await bob.api.listPhonelineDevices(named)).items.map(({ id }) => id),
      [his.id, hers.id],
    )
    await ada.api.deleteDevice({ deviceId: hers.id })
    assert.deepEqual(
      (await bob.api.listPhonelineDevices(named)).items.map(({ id }) => id),
      [his.id],
    )
  })

  test(`${database}: requires the integration to be booked and separates its log per line`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const named = { userId: 'w0', phonelineId: 'p0' }
    await assert.rejects(ada.api.getPhonelineSvcio(named), withCode('feature_not_booked'))
    await assert.rejects(ada.api.listPhonelineSvcioLog(named), { status: 403 })
    await world.write((tables) => tables.accounts.bookFeature(ada.accountId, 'SVCIO', 0))
    assert.deepEqual(await ada.api.getPhonelineSvcio(named), { incomingUrl: '', outgoingUrl: '' })
    const urls = { incomingUrl: 'https://example.com/in', outgoingUrl: 'http://example.com/out' }
    await ada.api.setPhonelineSvcio(named, urls)
    assert.deepEqual(await ada.api.getPhonelineSvcio(named), urls)
    await assert.rejects(
      ada.api.setPhonelineSvcio(named, { ...urls, outgoingUrl: 'example.com' }),
      withCode('parameter_invalid', 'outgoingUrl'),
    )
    await assert.rejects(ada.api.setPhonelineSvcio(named, { ...urls, incomingUrl: `https://e.com/${'a'.repeat(2048)}` }), { status: 400 })
    await ada.api.setPhonelineSvcio(named, { incomingUrl: '', outgoingUrl: '' })
    assert.deepEqual(await ada.api.getPhonelineSvcio(named), { incomingUrl: '', outgoingUrl: '' })

    assert.deepEqual(await ada.api.listPhonelineSvcioLog(named), { items: [] })
    const notified = { url: urls.incomingUrl, request: 'event=newCall', response: '<Response/>' }
    const of = (line: string, status: number): PushExchange => ({
      id: `${line}-${status}`,
      accountId: ada.accountId,
      line,
      event: 'newCall',
      callId: 'c',
      at: Date.UTC(2026, 0, 1),
      ...notified,
      xmlError: undefined,
      status,
    })
    const exchanges = [...Array.from({ length: 101 }, (_, place) => of('p0', 200 + place)), of('p1', 500)]
    await world.write((tables) => tables.pushExchanges.insert(exchanges))
    const { items } = await ada.api.listPhonelineSvcioLog(named)
    assert.deepEqual([items.length, items[0]?.status, items.at(-1)?.status], [100, 300, 201], 'the newest 100 of this line')
    assert.deepEqual(items[0], { created: '2026-01-01T00:00:00.000Z', ...notified, xmlError: '', status: 300 })
  })
}
