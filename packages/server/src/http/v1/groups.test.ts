import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

for (const database of databases) {
  test(`${database}: lets administrators manage groups and every user of the account see them`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    const made = await ada.api.createGroup(
      {},
      { alias: 'Sales', strategy: 'LINEAR', members: ['w1', 'w0'], departmentId: 7, faxline: true },
    )
    const expected = {
      id: 'g0',
      alias: 'Sales',
      strategy: 'LINEAR',
      ringSeconds: 20,
      departmentId: 7,
      members: ['w1', 'w0'],
      faxline: true,
    }
    assert.deepEqual(made, expected)
    assert.deepEqual(await ada.api.createGroup({}, { alias: 'Support', members: ['w0'] }), {
      id: 'g1',
      alias: 'Support',
      strategy: 'PARALLEL',
      ringSeconds: 20,
      members: ['w0'],
      faxline: false,
    })
    const sales = {
      id: 'g0',
      alias: 'Sales',
      groupNumbersUrl: '/v1/groups/g0/numbers',
      groupUsersUrl: '/v1/groups/g0/users',
      departmentId: 7,
    }
    const support = { id: 'g1', alias: 'Support', groupNumbersUrl: '/v1/groups/g1/numbers', groupUsersUrl: '/v1/groups/g1/users' }
    assert.deepEqual(await bob.api.listGroups(), { items: [sales, support] })
    assert.deepEqual(await bob.api.listGroups({ userId: 'w1' }), { items: [sales] })
    assert.deepEqual((await bob.api.listGroups({ userId: 'w0' })).items.length, 2)
    await assert.rejects(bob.api.listGroups({ userId: 'w9' }), { status: 404 })
    await assert.rejects(bob.api.listGroups({ userId: '\0' }), withCode('parameter_invalid', 'userId'))
    assert.deepEqual(await eve.api.listGroups(), { items: [] })

    assert.deepEqual((await bob.api.listGroupUsers({ groupId: 'g0' })).items, [
      { id: 'w1', firstname: 'Ada', lastname: 'L2', userUrl: '/v1/users/w1' },
      { id: 'w0', firstname: 'Ada', lastname: 'L1', userUrl: '/v1/users/w0' },
    ])
    const [voicemail] = (await bob.api.listGroupVoicemails({ groupId: 'g0' })).items
    assert.deepEqual([voicemail?.id, voicemail?.alias, voicemail?.greetingsUrl], ['v2', 'Voicemail Sales', '/v1/voicemails/v2/greetings'])
    assert.deepEqual(await bob.api.listGroupFaxlines({ groupId: 'g0' }), { items: [{ id: 'f2', alias: 'Fax Sales' }] })

    await assert.rejects(bob.api.createGroup({}, { alias: 'Mine' }), { status: 403 })
    await assert.rejects(bob.api.changeGroup({ groupId: 'g0' }, { alias: 'Mine' }), { status: 403 })
    await assert.rejects(bob.api.deleteGroup({ groupId: 'g0' }), { status: 403 })
    for (const call of [
      'getGroup',
      'listGroupNumbers',
      'listGroupUsers',
      'listGroupVoicemails',
      'listGroupFaxlines',
      'listGroupDevices',
    ] as const)
      await assert.rejects(eve.api[call]({ groupId: 'g0' }), withCode('group_not_found'), call)
    await assert.rejects(eve.api.deleteGroup({ groupId: 'g0' }), { status: 404 })
    await assert.rejects(ada.api.getGroup({ groupId: 'p0' }), { status: 404 })
    await world.write((tables) => tables.accounts.cancelFeature(ada.accountId, 'GROUPS'))
    await assert.rejects(ada.api.createGroup({}, { alias: 'More' }), withCode('feature_not_booked'))
    assert.equal((await ada.api.listGroups()).items.length, 2)
  })

  test(`${database}: changes a group by field, and its members' devices with it`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const hers = await ada.api.createRegisterDevice({ userId: 'w0' }, { alias: 'A' })
    const his = await bob.api.createRegisterDevice({ userId: 'w1' }, { alias: 'B' })
    const { id: groupId } = await ada.api.createGroup({}, { alias: 'Sales', members: ['w0'] })
    const ringing = async () => (await ada.api.listGroupDevices({ groupId })).items.map(({ id }) => id)
    await assert.rejects(bob.api.listGroupDevices({ groupId }), { status: 403 }, 'the list names devices of others')
    assert.deepEqual(await ada.api.listGroupDevices({ groupId }), { items: [{ id: hers.id, alias: 'A', type: 'REGISTER' }] })

    await assert.rejects(bob.api.addGroupDevice({ groupId }, { deviceId: his.id }), withCode('conflict'))
    await assert.rejects(bob.api.removeGroupDevice({ groupId, deviceId: hers.id }), { status: 403 })
    await ada.api.changeGroup({ groupId }, { members: ['w1', 'w0'] })
    assert.deepEqual(await ringing(), [hers.id, his.id])
    await bob.api.removeGroupDevice({ groupId, deviceId: his.id })
    await assert.rejects(bob.api.removeGroupDevice({ groupId, deviceId: his.id }), { status: 404 })
    await assert.rejects(bob.api.removeGroupDevice({ groupId, deviceId: 'e9' }), { status: 404 })
    await ada.api.changeGroup({ groupId }, { members: ['w0', 'w1'] })
    assert.deepEqual(await ringing(), [hers.id], 'who stays a member keeps the choice of devices')
    await bob.api.addGroupDevice({ groupId }, { deviceId: his.id })
    await ada.api.addGroupDevice({ groupId }, { deviceId: his.id })
    await ada.api.changeGroup({ groupId }, { members: ['w1'] })
    assert.deepEqual(await ringing(), [his.id])
    const later = await bob.api.createRegisterDevice({ userId: 'w1' }, { alias: 'C' })
    assert.deepEqual(await ringing(), [his.id, later.id], 'a device that a member gets later rings as well')
    assert.deepEqual(later.activeGroups, [{ id: groupId, alias: 'Sales' }])
    await ada.api.createRegisterDevice({ userId: 'w0' }, { alias: 'D' })
    assert.deepEqual(await ringing(), [his.id, later.id])

    await ada.api.changeGroup({ groupId }, { alias: 'Sellers', strategy: 'LONGEST_IDLE', ringSeconds: 60, departmentId: 3 })
    await ada.api.changeGroup({ groupId }, {})
    const expected = {
      id: groupId,
      alias: 'Sellers',
      strategy: 'LONGEST_IDLE',
      ringSeconds: 60,
      departmentId: 3,
      members: ['w1'],
      faxline: false,
    }
    assert.deepEqual(await bob.api.getGroup({ groupId }), expected)
    const bad = [{ members: ['w9'] }, { members: ['w0', 'w0'] }, { ringSeconds: 0 }, { strategy: 'CHAOS' as 'LINEAR' }]
    for (const change of bad)
      await assert.rejects(ada.api.changeGroup({ groupId }, change), withCode('parameter_invalid', ...Object.keys(change)))
    await assert.rejects(
      ada.api.changeGroup({ groupId }, { alias: 'Half', members: ['w0', 'w9'] }),
      withCode('parameter_invalid', 'members/1'),
    )
    assert.deepEqual(await bob.api.getGroup({ groupId }), expected, 'a refused change changes nothing')

    const operator = await world.operator()
    await operator.disableUser({ accountId: ada.accountId, userId: 'w1' })
    assert.deepEqual((await ada.api.listGroupUsers({ groupId })).items, [])
  })

  test(`${database}: stops notifications of a group for a former member`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const { id: groupId } = await ada.api.createGroup({}, { alias: 'Sales', members: ['w0', 'w1'], faxline: true })
    const input = { via: 'EMAIL', recipient: 'x@example.com', direction: 'ALL' } as const
    const about = [
      { type: 'CALL', endpointId: groupId },
      { type: 'VOICEMAIL', endpointId: 'v2' },
      { type: 'FAX', endpointId: 'f2' },
    ] as const
    for (const one of about) {
      await ada.api.createNotification({ userId: 'w0' }, { ...input, ...one })
      await bob.api.createNotification({ userId: 'w1' }, { ...input, ...one })
    }
    await bob.api.createNotification({ userId: 'w1' }, { ...input, type: 'CALL', endpointId: 'p1' })
    await ada.api.changeGroup({ groupId }, { members: ['w0'] })
    assert.equal((await ada.api.listNotifications({ userId: 'w0' })).items.length, 3)
    const left = (await bob.api.listNotifications({ userId: 'w1' })).items
    assert.deepEqual(
      left.map(({ endpointId }) => endpointId),
      ['p1'],
    )
  })

  test(`${database}: rejects deleting a group while it is a routing target`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const { accountId } = ada
    const { id: groupId } = await ada.api.createGroup({}, { alias: 'Sales', faxline: true, members: ['w0'] })
    const route = (endpointId?: string) =>
      world.write((tables) => tables.numbers.setRouting(accountId, 'n1', endpointId === undefined ? {} : { endpointId }))
    const number = { id: 'n1', e164: '+4921112345678', type: 'LANDLINE' as const, state: 'ACTIVE' as const, createdAt: 0 }
    await world.write((tables) => tables.numbers.insert(accountId, { ...number, endpointId: groupId }))
    assert.deepEqual(
      (await ada.api.listGroupNumbers({ groupId })).items.map(({ number: e164 }) => e164),
      ['+4921112345678'],
    )
    await assert.rejects(ada.api.deleteGroup({ groupId }), withCode('endpoint_in_use', 'g0'))
    await route('f1')
    await assert.rejects(ada.api.deleteGroup({ groupId }), withCode('endpoint_in_use', 'f1'))
    await assert.rejects(ada.api.changeGroup({ groupId }, { faxline: false }), withCode('endpoint_in_use', 'f1'))
    await route('v1')
    await assert.rejects(ada.api.deleteGroup({ groupId }), withCode('endpoint_in_use', 'v1'))
    await route()
    const line = { userId: 'w0', phonelineId: 'p0' }
    await ada.api.replaceForwardings(line, { forwardings: [{ destination: groupId, timeout: 10, active: true }] })
    await assert.rejects(ada.api.deleteGroup({ groupId }), withCode('endpoint_in_use', 'p0', 'g0'))
    await ada.api.replaceForwardings(line, { forwardings: [] })
    await ada.api.changeGroup({ groupId }, { faxline: false })
    await ada.api.changeGroup({ groupId }, { faxline: true })
    assert.deepEqual(
      (await ada.api.listGroupFaxlines({ groupId })).items.map(({ id }) => id),
      ['f2'],
    )
    await ada.api.deleteGroup({ groupId })
    await assert.rejects(ada.api.getGroup({ groupId }), { status: 404 })
    await assert.rejects(ada.api.getVoicemail({ voicemailId: 'v1' }), { status: 404 })
    await assert.rejects(ada.api.getGroupFaxlineCallerId({ faxlineId: 'f2' }), { status: 404 })
    assert.equal((await ada.api.createGroup({}, { alias: 'Next' })).id, 'g1')
  })

  test(`${database}: applies the same rules to the operator`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const { accountId } = ada
    const operator = await world.operator()
    const made = await operator.createAccountGroup({}, { accountId, alias: 'Sales', members: ['w0'] })
    const named = { accountId, groupId: made.id }
    assert.deepEqual(await operator.listAccountGroups({ accountId }), { items: [made] })
    await operator.changeAccountGroup(named, { alias: 'Sellers', faxline: true })
    assert.deepEqual(await operator.readAccountGroup(named), { ...made, alias: 'Sellers', faxline: true })
    assert.deepEqual(await ada.api.getGroup({ groupId: made.id }), { ...made, alias: 'Sellers', faxline: true })
    await assert.rejects(operator.createAccountGroup({}, { accountId: '1', alias: 'x' }), { status: 404 })
    await assert.rejects(operator.listAccountGroups({ accountId: '1' }), { status: 404 })
    await assert.rejects(operator.readAccountGroup({ accountId: '1', groupId: made.id }), { status: 404 })
    await assert.rejects(operator.createAccountGroup({}, { accountId, alias: 'x', members: ['w9'] }), { status: 400 })
    await assert.rejects(ada.api.listAccountGroups({ accountId }), { status: 401 })
    await operator.deleteAccountGroup(named)
    await assert.rejects(operator.deleteAccountGroup(named), { status: 404 })
    const audit = await world.running.deps.store.read.audit.list(accountId, { afterSeq: 0, limit: 10 })
    assert.deepEqual(
      audit.map(({ action, target }) => `${action} ${target}`),
      ['group.create g0', 'group.change g0', 'group.delete g0'],
    )
    assert.ok(audit.every(({ actor }) => actor.startsWith('operator:')))
  })
}
