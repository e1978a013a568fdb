import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'
import { maxContacts } from '#core/account/contacts/contact-entry.ts'

for (const database of databases) {
  test(`${database}: hides private contacts from other users`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    const own = await bob.api.createContact(
      {},
      { name: ' Carla ', emails: [' carla@example.org '], numbers: ['0211 635 544 44', '44*', '+49 211 63554444'] },
    )
    assert.deepEqual(own, { id: own.id, name: 'Carla', emails: ['carla@example.org'], numbers: ['+4921163554444', '44*'], shared: false })
    const shared = await bob.api.createContact({}, { name: 'Alarm', shared: true })
    assert.deepEqual((await bob.api.listContacts()).items, [shared, own])
    assert.deepEqual((await ada.api.listContacts()).items, [shared])
    assert.deepEqual((await eve.api.listContacts()).items, [])

    await bob.api.changeContact({ contactId: own.id }, { name: 'Carla B', numbers: ['+4921163554445'] })
    assert.deepEqual((await bob.api.listContacts()).items[1], {
      id: own.id,
      name: 'Carla B',
      emails: [],
      numbers: ['+4921163554445'],
      shared: false,
    })
    for (const missing of [
      () => ada.api.changeContact({ contactId: own.id }, { name: 'Mine' }),
      () => ada.api.deleteContact({ contactId: own.id }),
      () => eve.api.deleteContact({ contactId: shared.id }),
      () => bob.api.changeContact({ contactId: 'nobody' }, { name: 'X' }),
    ])
      await assert.rejects(missing(), { status: 404 })
    const dora = await world.newUser(ada.accountId)
    await assert.rejects(dora.api.changeContact({ contactId: shared.id }, { name: 'Mine' }), { status: 403 })
    await assert.rejects(dora.api.deleteContact({ contactId: shared.id }), { status: 403 })
    await ada.api.changeContact({ contactId: shared.id }, { name: 'Alarm 2', shared: true })
    assert.equal((await dora.api.listContacts()).items[0]?.name, 'Alarm 2')
    await bob.api.deleteContact({ contactId: shared.id })
    assert.deepEqual((await dora.api.listContacts()).items, [])
  })

  test(`${database}: names the field of an invalid contact`, async (t) => {
    const world = await startWorld(t, { database })
    const { api, accountId, userId } = await world.newAccount()
    const wrong: [Parameters<typeof api.createContact>[1], string][] = [
      [{ name: '  ' }, 'name'],
      [{ name: 'A', emails: ['ok@example.org', 'not one'] }, 'emails/1'],
      [{ name: 'A', numbers: ['+4921163554444', 'call me'] }, 'numbers/1'],
      [{ name: 'A', numbers: Array.from({ length: 21 }, () => '110') }, 'numbers'],
      [{ name: 'x'.repeat(201) }, 'name'],
    ]
    for (const [entry, field] of wrong)
      await assert.rejects(api.createContact({}, entry), (error: { status: number; body: { details: { field: string }[] } }) => {
        assert.deepEqual([error.status, error.body.details[0]?.field], [400, field])
        return true
      })
    await world.write(async (tables) => {
      const many = Array.from({ length: maxContacts }, (_, n) => ({
        id: `${accountId}-${n}`,
        owner: userId,
        shared: false,
        name: 'N',
        emails: [],
        numbers: [],
      }))
      await tables.contacts.insert(accountId, many, 0)
    })
    await assert.rejects(api.createContact({}, { name: 'One more' }), { status: 409 })
  })

  test(`${database}: lists internal contacts with the active numbers routed to them`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const gone = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    const { accountId } = ada
    await world.write(async (tables) => {
      const group = await tables.groups.create(accountId, {
        alias: 'Sales',
        strategy: 'PARALLEL',
        ringSeconds: 20,
        departmentId: undefined,
        at: 0,
      })
      const groupFax = await tables.faxlines.create(accountId, { owner: group, alias: 'Fax Sales', at: 0 })
      const give = (id: string, e164: string, endpointId: string, more: object = {}) =>
        tables.numbers.insert(accountId, { id, e164, type: 'LANDLINE', state: 'ACTIVE', createdAt: 0, endpointId, ...more })
      await give('1', '+4921163554441', 'p0')
      await give('2', '+4915735554442', 'p0', { type: 'MOBILE' })
      await give('3', '+4921163554443', 'f0')
      await give('4', '+4921163554444', 'p1', { state: 'DEACTIVATED' })
      await give('5', '+4921163554445', group)
      await give('6', '+4921163554446', groupFax)
      await give('7', '+4921163554447', 'p2')
      await tables.numbers.insert(accountId, { id: '8', short: '44', type: 'QUICKDIAL', state: 'ACTIVE', createdAt: 0, endpointId: 'p1' })
      await tables.numbers.insert(accountId, { id: '9', short: '55', type: 'QUICKDIAL', state: 'ACTIVE', createdAt: 0, endpointId: group })
      await tables.users.disable(accountId, gone.userId, 1)
    })
    const none = { mobile: [], landline: [], fax: [], directdial: [] }
    const expected = [
      {
        id: 'w0',
        name: 'Ada L1',
        emails: [ada.email],
        mobile: ['+4915735554442'],
        landline: ['+4921163554441'],
        fax: ['+4921163554443'],
        directdial: [],
      },
      { ...none, id: 'w1', name: 'Ada L2', emails: [bob.email], directdial: ['44'] },
      { ...none, id: 'g0', name: 'Sales', emails: [], landline: ['+4921163554445'], fax: ['+4921163554446'], directdial: ['55'] },
    ]
    assert.deepEqual((await ada.api.listInternalContacts()).items, expected)
    assert.deepEqual((await bob.api.listInternalContacts()).items, expected)
    assert.deepEqual(
      (await eve.api.listInternalContacts()).items.map(({ emails }) => emails),
      [[eve.email]],
    )
  })
}
