import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const number = (id: string, e164: string, more: { endpointId?: string; state?: 'DEACTIVATED' } = {}) => ({
  id,
  e164,
  type: 'LANDLINE' as const,
  state: 'ACTIVE' as const,
  createdAt: 0,
  ...more,
})

for (const database of databases) {
  test(`${database}: manages fax lines of a user and of a group`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    await ada.api.createGroup({}, { alias: 'Sales', faxline: true })
    const mine = { userId: 'w1', faxlineId: 'f1' }
    const expected = { id: 'f1', alias: 'Fax Ada L2', tagline: '', canSend: true, canReceive: true }
    assert.deepEqual(await bob.api.listFaxlines({ userId: 'w1' }), { items: [expected] })
    await bob.api.changeFaxline(mine, { tagline: 'x'.repeat(50) })
    await bob.api.changeFaxline(mine, { alias: 'Office' })
    assert.deepEqual(await bob.api.getFaxline(mine), { ...expected, alias: 'Office', tagline: 'x'.repeat(50) })
    await assert.rejects(bob.api.changeFaxline(mine, { tagline: 'x'.repeat(51) }), withCode('parameter_invalid', 'tagline'))
    await assert.rejects(bob.api.getFaxline({ userId: 'w0', faxlineId: 'f0' }), { status: 403 })
    await assert.rejects(ada.api.getFaxline({ userId: 'w0', faxlineId: 'f1' }), withCode('faxline_not_found'))
    await assert.rejects(ada.api.getFaxline({ userId: 'w0', faxlineId: 'f2' }), { status: 404 }, 'that of a group')
    await assert.rejects(eve.api.getFaxline({ userId: 'w0', faxlineId: 'f1' }), { status: 404 })

    await world.write((tables) => tables.numbers.insert(ada.accountId, number('n1', '+4921112345678', { endpointId: 'f1' })))
    await world.write((tables) => tables.numbers.insert(ada.accountId, number('n2', '+4921112345679', { endpointId: 'f2' })))
    assert.deepEqual(
      (await bob.api.listFaxlineNumbers(mine)).items.map(({ id }) => id),
      ['n1'],
    )
    const group = { faxlineId: 'f2' }
    assert.deepEqual(
      (await bob.api.listGroupFaxlineNumbers(group)).items.map(({ id }) => id),
      ['n2'],
    )
    await assert.rejects(bob.api.listGroupFaxlineNumbers({ faxlineId: 'f1' }), { status: 404 }, 'that of a user')
    await assert.rejects(bob.api.getGroupFaxlineCallerId({ faxlineId: 'f1' }), { status: 404 })
    await assert.rejects(eve.api.listGroupFaxlineNumbers(group), { status: 404 })
    await assert.rejects(eve.api.getGroupFaxlineCallerId(group), { status: 404 })

    assert.deepEqual(await bob.api.getGroupFaxlineCallerId(group), { value: '' })
    await assert.rejects(bob.api.setGroupFaxlineCallerId(group, { value: '+4921112345679' }), { status: 403 })
    await ada.api.setGroupFaxlineCallerId(group, { value: '+4921112345679' })
    assert.deepEqual(await bob.api.getGroupFaxlineCallerId(group), { value: '+4921112345679' })
  })

  test(`${database}: accepts only an active number of the account as caller ID of a fax line`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const eve = await world.newAccount()
    await world.write((tables) => tables.numbers.insert(ada.accountId, number('n1', '+4921112345678')))
    await world.write((tables) => tables.numbers.insert(ada.accountId, number('n2', '+4921112345679', { state: 'DEACTIVATED' })))
    await world.write((tables) => tables.numbers.insert(eve.accountId, number('n3', '+4921112345670')))
    const mine = { userId: 'w0', faxlineId: 'f0' }
    assert.deepEqual(await ada.api.getFaxlineCallerId(mine), { value: '' })
    await ada.api.setFaxlineCallerId(mine, { value: '0211 12345678' })
    assert.deepEqual(await ada.api.getFaxlineCallerId(mine), { value: '+4921112345678' })
    for (const value of ['+4921112345679', '+4921112345670', '+4921199999999'])
      await assert.rejects(ada.api.setFaxlineCallerId(mine, { value }), withCode('caller_id_not_owned'), value)
    for (const value of ['hello', '112', '+', ' '])
      await assert.rejects(ada.api.setFaxlineCallerId(mine, { value }), withCode('number_invalid', 'value'), value)
    await world.write((tables) => tables.numbers.setState(ada.accountId, 'n1', 'ADDRESS_PENDING'))
    await assert.rejects(
      ada.api.setFaxlineCallerId(mine, { value: '+4921112345678' }),
      { status: 403 },
      'not while its address is in doubt',
    )
    assert.deepEqual(await ada.api.getFaxlineCallerId(mine), { value: '' }, 'and what was chosen is not shown meanwhile')
    await world.write((tables) => tables.numbers.setState(ada.accountId, 'n1', 'ACTIVE'))
    assert.deepEqual(await ada.api.getFaxlineCallerId(mine), { value: '+4921112345678' })
    await ada.api.setFaxlineCallerId(mine, { value: '' })
    assert.deepEqual(await ada.api.getFaxlineCallerId(mine), { value: '' })
  })
}
