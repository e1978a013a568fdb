import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'
import { hashSecret } from '#core/account/identity/tokens/tokens.ts'

for (const database of databases)
  test(`${database}: verifies an account once, by the mailed code`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount('Ada & Co')
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    assert.deepEqual(await bob.api.getAccount(), {
      company: 'Ada & Co',
      mainProductType: 'TEAM',
      logoUrl: '',
      verified: false,
      country: 'DE',
      locale: 'en_US',
    })
    const unknown = (verificationCode: string, api = ada.api) =>
      assert.rejects(api.verifyAccount({}, { verificationCode }), (error: { status: number; body: { code: string } }) => {
        assert.deepEqual([error.status, error.body.code], [404, 'verification_code_unknown'])
        return true
      })
    await unknown('ABCD1234')
    await world.write((tables) => tables.accounts.setVerificationCode(ada.accountId, hashSecret('ABCD1234')))
    await unknown('ABCD1235')
    await unknown('ABCD1234', eve.api)
    await assert.rejects(bob.api.verifyAccount({}, { verificationCode: 'ABCD1234' }), { status: 403 })
    await assert.rejects(ada.api.verifyAccount({}, { verificationCode: '' }), { status: 400 })
    assert.equal((await ada.api.getAccount()).verified, false)
    await ada.api.verifyAccount({}, { verificationCode: ' abcd1234\n' })
    assert.equal((await ada.api.getAccount()).verified, true)
    assert.equal((await eve.api.getAccount()).verified, false)
    await unknown('ABCD1234')
    assert.equal((await ada.api.getAccount()).verified, true)
  })

for (const database of databases)
  test(`${database}: returns the call-back number for emergency services, if one is routed to a phone`, async (t) => {
    const world = await startWorld(t, { database })
    const { api, accountId, userId } = await world.newAccount()
    await assert.rejects((await world.newUser(accountId)).api.getEmergencyCallback(), { status: 403 })
    assert.deepEqual(await api.getEmergencyCallback(), { hasPhones: false })
    const { activePhonelines } = await api.createRegisterDevice({ userId }, { alias: 'Desk' })
    assert.deepEqual(await api.getEmergencyCallback(), { hasPhones: true })
    const e164 = '+493023125001'
    const endpointId = activePhonelines[0]?.id ?? assert.fail()
    const number = { id: randomUUID(), e164, type: 'LANDLINE', state: 'ACTIVE', createdAt: 0, endpointId } as const
    await world.write((tables) => tables.numbers.insert(accountId, number))
    assert.deepEqual(await api.getEmergencyCallback(), { hasPhones: true, callbackNumber: e164 })
    const { id: flowId } = await api.createFlow({}, { name: 'Reception' })
    await world.write((tables) => tables.numbers.setRouting(accountId, number.id, { flowId }))
    assert.deepEqual(await api.getEmergencyCallback(), { hasPhones: true })
  })
