import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withCode } from '#test/http/with-code.ts'
import { databases, startWorld, type World } from '#test/world/world.ts'

type Api = ReturnType<World['client']>

for (const database of databases) {
  test(`${database}: reads a contact, role, notification, invitation and scenario by id, and none of another account`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount('Other Ltd')
    const { userId } = ada
    await ada.api.createContact({}, { name: 'Dentist', numbers: ['+4915112345678'] })
    await ada.api.createRole({}, { name: 'Desk', permissions: ['CAN_GET_HISTORY'] })
    const fields = { type: 'CALL', via: 'EMAIL', direction: 'ALL', endpointId: 'p0', recipient: 'ada@example.com' } as const
    await ada.api.createNotification({ userId }, fields)
    await ada.api.createInvitation({}, { email: 'carol@example.com' })
    const { id: aiFlowId } = await ada.api.createFlow({}, { name: 'Reception' })
    await ada.api.setScenario({ aiFlowId, name: 'good' }, { name: 'good', steps: [{ say: 'Hello' }] })

    const contact = (await ada.api.listContacts({})).items[0]
    const role = (await ada.api.listRoles()).items[0]
    const notification = (await ada.api.listNotifications({ userId })).items[0]
    const invitation = (await ada.api.listInvitations()).items[0]
    const scenario = (await ada.api.listScenarios({ aiFlowId })).items[0]
    assert.ok(contact && role && notification && invitation && scenario)

    const reads: [string, (api: Api) => Promise<object>, object][] = [
      ['contact_not_found', (api) => api.getContact({ contactId: contact.id }), contact],
      ['role_not_found', (api) => api.getRole({ roleId: role.id }), role],
      ['invitation_not_found', (api) => api.getInvitation({ invitationId: invitation.id }), invitation],
      ['flow_not_found', (api) => api.getScenario({ aiFlowId, name: 'good' }), scenario],
    ]
    for (const [code, read, element] of reads) {
      assert.deepEqual(await read(ada.api), element)
      await assert.rejects(read(eve.api), withCode(code as 'contact_not_found'))
    }
    assert.deepEqual(await ada.api.getNotification({ userId, notificationId: notification.id }), notification)
    await assert.rejects(ada.api.getNotification({ userId, notificationId: '0' }), withCode('not_found'))
    await assert.rejects(ada.api.getScenario({ aiFlowId, name: 'none' }), withCode('scenario_not_found'))
    await assert.rejects(bob.api.getContact({ contactId: contact.id }), withCode('contact_not_found'), 'a private contact')
  })
}
