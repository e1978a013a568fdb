import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const dayMs = 24 * 60 * 60 * 1000
const berlin = { countrycode: 'DE', postcode: '10115', city: 'Berlin', street: 'Chausseestr.', number: '1' }

for (const database of databases) {
  test(`${database}: orders a number from stock, charges and routes it, and rests it after its return`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const ada = await world.newAccount()
    const member = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    await operator.topUpBalance({ accountId: ada.accountId }, { amount: 50_000, reason: 'Payment', idempotencyKey: 'first' })

    const stock = await operator.addStock(
      {},
      { numbers: ['+493023125111', '030 23125112', '+493023125111', '0900 1234567', 'nonsense', '+4915799912345'], price: 20_000 },
    )
    assert.deepEqual(stock, {
      added: 3,
      refused: [
        { number: '+493023125111', reason: 'in_stock' },
        { number: '0900 1234567', reason: 'invalid' },
        { number: 'nonsense', reason: 'invalid' },
      ],
    })

    await assert.rejects(member.api.listStock(), { status: 403 })
    const { items, currency } = await ada.api.listStock({ area: '30', digits: '5111' })
    assert.equal(currency, 'EUR')
    const [offer] = items
    assert.ok(offer)
    const { id: stockId, ...shown } = offer
    assert.deepEqual(shown, {
      number: '+493023125111',
      localized: '030 23125111',
      country: 'DE',
      area: '30',
      place: 'Berlin',
      price: 20_000,
      needsAddress: true,
    })

    await assert.rejects(ada.api.orderNumber({}, { stockId }), withCode('parameter_invalid', 'addressId'))
    const { id: addressId } = await operator.createAddress({}, { accountId: ada.accountId, ...berlin })
    await assert.rejects(ada.api.orderNumber({}, { stockId, addressId, endpointId: 'p77' }), { status: 400 })
    const number = await ada.api.orderNumber({}, { stockId, addressId, endpointId: 'p1' })
    assert.deepEqual([number.number, number.state, number.endpointId], ['+493023125111', 'ACTIVE', 'p1'])
    assert.equal((await ada.api.getBalance()).amount, 30_000)
    assert.equal((await ada.api.readLedger()).items[0]?.reason, 'Number order')

    await assert.rejects(eve.api.orderNumber({}, { stockId }), withCode('number_gone'))
    await assert.rejects(eve.api.returnNumber({ numberId: number.id }), { status: 404 })
    const [mobile] = (await eve.api.listStock({ digits: '5799' })).items
    await assert.rejects(eve.api.orderNumber({}, { stockId: mobile?.id ?? '' }), { status: 402 })
    assert.equal((await eve.api.listNumbers()).items.length, 0)

    assert.equal((await operator.readStock({ digits: '5111' })).items[0]?.numberId, number.id)
    await ada.api.returnNumber({ numberId: number.id })
    assert.equal((await ada.api.listNumbers()).items.length, 0)
    assert.deepEqual((await ada.api.listStock({ digits: '5111' })).items, [])
    assert.ok((await operator.readStock({ digits: '5111' })).items[0]?.restsUntil)
    const freeAfter = (days: number) =>
      world.write((tables) => tables.numberStock.free({ after: '', limit: 9, digits: '5111' }, world.clock.now() + days * dayMs))
    assert.deepEqual([(await freeAfter(89)).length, (await freeAfter(90)).length], [0, 1])

    await operator.removeStock({ stockId })
    await assert.rejects(operator.removeStock({ stockId }), { status: 404 })
  })

  test(`${database}: rejects the return of a number that was never in stock`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const ada = await world.newAccount()
    const { id } = await operator.assignNumber({}, { accountId: ada.accountId, number: '+4932211234567' })
    await assert.rejects(ada.api.returnNumber({ numberId: id }), withCode('number_not_returnable'))
    assert.deepEqual((await operator.addStock({}, { numbers: ['+4932211234567'] })).refused, [
      { number: '+4932211234567', reason: 'in_use' },
    ])
  })
}
