import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addSmsRoute } from '#test/sms/scripted-sms-route.ts'
import { databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const input = { type: 'CALL', endpointId: 'p1', via: 'EMAIL', recipient: 'bob@example.com', direction: 'MISSED_INCOMING' } as const

for (const database of databases) {
  test(`${database}: manages notifications about extensions of a user`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    await ada.api.createGroup({}, { alias: 'Sales', members: ['w1'], faxline: true })
    await ada.api.createGroup({}, { alias: 'Others', members: ['w0'] })
    const mine = { userId: 'w1' }
    const made = await bob.api.createNotification(mine, input)
    assert.deepEqual(made, { id: made.id, ...input })
    await assert.rejects(bob.api.createNotification(mine, input), { status: 409 })
    const bySms = { ...input, type: 'FAX', endpointId: 'f1', via: 'SMS', recipient: '0151 12345678', direction: 'ALL' } as const
    await assert.rejects(bob.api.createNotification(mine, bySms), withCode('line_unavailable', 'OFFHOOK_SMPP_URL'), 'nobody could carry it')
    addSmsRoute(world)
    const sms = await bob.api.createNotification(mine, bySms)
    assert.equal(sms.recipient, '+4915112345678')
    for (const [type, endpointId] of [
      ['SMS', 's1'],
      ['VOICEMAIL', 'v1'],
      ['VOICEMAIL', 'p1'],
      ['CALL', 'g0'],
      ['FAX', 'f2'],
      ['VOICEMAIL', 'v2'],
    ] as const)
      await bob.api.createNotification(mine, { ...input, type, endpointId })
    assert.equal((await bob.api.listNotifications(mine)).items.length, 8)

    for (const [type, endpointId] of [
      ['CALL', 'p0'],
      ['CALL', 'g1'],
      ['CALL', 'w1'],
      ['CALL', 'p9'],
      ['VOICEMAIL', 'v0'],
      ['FAX', 'x'],
    ] as const)
      await assert.rejects(
        bob.api.createNotification(mine, { ...input, type, endpointId }),
        withCode('parameter_invalid', 'endpointId'),
        endpointId,
      )
    for (const [type, endpointId] of [
      ['FAX', 'p1'],
      ['SMS', 'v1'],
      ['CALL', 'f1'],
      ['VOICEMAIL', 's1'],
    ] as const)
      await assert.rejects(bob.api.createNotification(mine, { ...input, type, endpointId }), withCode('parameter_invalid', 'endpointId'))
    for (const recipient of [
      'bob',
      'bob@',
      'a@b',
      'Bob <bob@example.com>',
      'a@example.com,b@example.com',
      'a@example.com\nBcc: c@example.com',
      '+4915112345678',
    ])
      await assert.rejects(bob.api.createNotification(mine, { ...input, recipient }), withCode('parameter_invalid', 'recipient'), recipient)
    for (const recipient of ['bob@example.com', '112', '09001234567'])
      await assert.rejects(
        bob.api.createNotification(mine, { ...input, via: 'SMS', recipient }),
        withCode('number_invalid', 'recipient'),
        recipient,
      )

    await assert.rejects(bob.api.listNotifications({ userId: 'w0' }), { status: 403 })
    assert.equal((await ada.api.listNotifications(mine)).items.length, 8, 'administrators see those of users')
    await assert.rejects(ada.api.deleteNotification({ userId: 'w0', notificationId: made.id }), { status: 404 })
    await assert.rejects(eve.api.deleteNotification({ userId: 'w0', notificationId: made.id }), { status: 404 })
    await bob.api.deleteNotification({ ...mine, notificationId: made.id })
    await assert.rejects(bob.api.deleteNotification({ ...mine, notificationId: made.id }), { status: 404 })
    await assert.rejects(bob.api.deleteNotification({ ...mine, notificationId: 'abc' }), { status: 404 })

    await ada.api.deleteGroup({ groupId: 'g0' })
    assert.deepEqual(
      (await bob.api.listNotifications(mine)).items.map(({ endpointId }) => endpointId),
      ['f1', 's1', 'v1', 'p1'],
      'gone with the group',
    )
  })

  test(`${database}: limits a user to fifty notifications`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    await world.write(async (tables) => {
      for (let n = 0; n < 49; n++) await tables.notifications.insert(ada.accountId, 'w0', { ...input, recipient: `a${n}@example.com` })
    })
    await ada.api.createNotification({ userId: 'w0' }, { ...input, endpointId: 'p0' })
    await assert.rejects(
      ada.api.createNotification({ userId: 'w0' }, { ...input, endpointId: 'p0', direction: 'ALL' }),
      withCode('conflict', '50'),
    )
    const endpoint = await world.running.deps.store.read.notifications.listByEndpoint(ada.accountId, 'p0')
    assert.deepEqual(
      endpoint.map(({ recipient }) => recipient),
      ['bob@example.com'],
    )
  })
}
