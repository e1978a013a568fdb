import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

for (const database of databases)
  test(`${database}: stores carriers with a write-only secret`, async (t) => {
    const world = await startWorld(t, { database, settings: { OFFHOOK_CARRIER_CODE: 'SELF' } })
    const operator = await world.operator()
    const ada = await world.newAccount()
    const peer = { code: 'PEER', name: 'Peer', url: 'https://carrier.example' }
    const { secret = '' } = await operator.createCarrier({}, peer)
    assert.match(secret, /^whsec_/)
    assert.deepEqual(await operator.listCarriers(), { items: [peer] })
    assert.deepEqual(await operator.readCarrier({ carrierCode: 'PEER' }), peer)
    const kept = await world.running.deps.store.read.carriers.find('PEER')
    assert.ok(kept && !kept.secretSealed.includes(secret.slice(6)))

    await assert.rejects(operator.createCarrier({}, peer), { status: 409 })
    await assert.rejects(operator.createCarrier({}, { ...peer, code: 'SELF' }), withCode('parameter_invalid', 'code'))
    await assert.rejects(operator.createCarrier({}, { ...peer, code: 'bad code' }), { status: 400 })
    await assert.rejects(
      operator.createCarrier({}, { ...peer, code: 'NEW', secret: 'whsec_short' }),
      withCode('parameter_invalid', 'secret'),
    )
    await assert.rejects(operator.createCarrier({}, { ...peer, code: 'NEW', url: 'ftp://x' }), { status: 400 })
    for (const url of ['https://user:password@carrier.example', 'https://user@carrier.example', 'http://[broken', 'http://x:99999']) {
      await assert.rejects(operator.createCarrier({}, { ...peer, code: 'NEW', url }), withCode('parameter_invalid', 'url'), url)
      await assert.rejects(operator.updateCarrier({ carrierCode: 'PEER' }, { url }), withCode('parameter_invalid', 'url'), url)
    }
    assert.deepEqual(await operator.createCarrier({}, { ...peer, code: 'NEW', secret }), { code: 'NEW' })

    await operator.updateCarrier({ carrierCode: 'PEER' }, { url: 'https://other.example' })
    await operator.updateCarrier({ carrierCode: 'PEER' }, {})
    assert.equal((await operator.readCarrier({ carrierCode: 'PEER' })).url, 'https://other.example')
    await assert.rejects(operator.updateCarrier({ carrierCode: 'NONE' }, { name: 'x' }), { status: 404 })
    await assert.rejects(operator.readCarrier({ carrierCode: 'NONE' }), { status: 404 })

    const holder = { name: 'Example Ltd', street: 'Marktplatz', number: '2', postcode: '40213', city: 'Düsseldorf', country: 'DE' }
    const input = { numbers: ['+4915112345678'], holder, carrier: 'PEER', email: 'holder@example.com' }
    const { id } = await ada.api.startPorting({}, input)
    await assert.rejects(operator.deleteCarrier({ carrierCode: 'PEER' }), { status: 409 })
    await ada.api.revokePorting({ portingId: String(id) })
    await operator.deleteCarrier({ carrierCode: 'PEER' })
    await assert.rejects(operator.deleteCarrier({ carrierCode: 'PEER' }), { status: 404 })
    await assert.rejects(ada.api.listCarriers(), { status: 401 })
  })
