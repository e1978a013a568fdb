import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { changeAddress } from '#core/account/addresses/change-address.ts'

const dusseldorf = { countrycode: 'DE', postcode: '40213', city: 'Düsseldorf', street: 'Marktplatz', number: '2' }
const cologne = { countrycode: 'DE', postcode: '50667', city: 'Köln', street: 'Domkloster', number: '4' }
const village = { countrycode: 'DE', postcode: '99999', city: 'Hintertupfing', street: 'Dorfstraße', number: '1' }
const dayMs = 24 * 60 * 60 * 1000

interface Scene {
  world: World
  ada: Person
  addressId: string
  landline: string
}

const assign = async (world: World, accountId: string, number: string, addressId?: string): Promise<string> => {
  const operator = await world.operator()
  return (await operator.assignNumber({}, { accountId, number, ...(addressId !== undefined && { addressId }) })).id
}

for (const database of databases) {
  const scene = async (t: Parameters<typeof startWorld>[0]): Promise<Scene> => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const operator = await world.operator()
    const { id: addressId } = await operator.createAddress({}, { accountId: ada.accountId, ...dusseldorf })
    return { world, ada, addressId, landline: await assign(world, ada.accountId, '+4921163550000', addressId) }
  }

  test(`${database}: reads and changes addresses by field name`, async (t) => {
    const { world, ada, addressId } = await scene(t)
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    const input = { ...dusseldorf, address1: 'c/o Example', address2: '3rd floor', state: 'NRW' }
    await ada.api.changeAddress({ addressId }, input)
    const expected = {
      id: addressId,
      poBox: '',
      extendedAddress: 'c/o Example, 3rd floor',
      streetAddress: 'Marktplatz 2',
      locality: 'Düsseldorf',
      region: 'NRW',
      postalCode: '40213',
      country: 'DE',
    }
    assert.deepEqual(await bob.api.getAddress({ addressId }), expected)
    assert.deepEqual(await bob.api.listAddresses(), { items: [expected] })
    assert.deepEqual(await eve.api.listAddresses(), { items: [] })

    await assert.rejects(bob.api.changeAddress({ addressId }, input), { status: 403 })
    for (const foreign of [addressId, '999999', 'x', '-1']) {
      await assert.rejects(eve.api.getAddress({ addressId: foreign }), { status: 404 })
      await assert.rejects(eve.api.changeAddress({ addressId: foreign }, input), { status: 404 })
      await assert.rejects(eve.api.listAddressNumbers({ addressId: foreign }), { status: 404 })
    }
    const bad: [object, string][] = [
      [{ ...input, postcode: '4021' }, 'postcode'],
      [{ ...input, postcode: ' ' }, 'postcode'],
      [{ ...input, city: ' ' }, 'city'],
      [{ ...input, countrycode: 'XX' }, 'countrycode'],
      [{ ...input, planet: 'Mars' }, 'planet'],
      [{ postcode: '40213', city: 'Düsseldorf' }, 'countrycode'],
    ]
    for (const [body, field] of bad)
      await assert.rejects(
        ada.api.changeAddress({ addressId }, body as typeof input),
        (error: { status: number; body: { details: { field: string }[] } }) => {
          assert.equal(error.status, 400)
          assert.equal(error.body.details[0]?.field, field)
          return true
        },
      )
    await ada.api.changeAddress({ addressId }, { countrycode: 'DE', postcode: '40213', city: 'Düsseldorf' })
    assert.equal((await ada.api.getAddress({ addressId })).streetAddress, '', 'street and number may be left out, as everywhere')
    await ada.api.changeAddress({ addressId }, { countrycode: 'fr', postcode: '75001', city: 'Paris' })
    assert.equal((await ada.api.getAddress({ addressId })).country, 'FR')
  })

  test(`${database}: deactivates only the numbers that a new place does not allow`, async (t) => {
    const { world, ada, addressId, landline } = await scene(t)
    const mobile = await assign(world, ada.accountId, '+4915112345678', addressId)
    const national = await assign(world, ada.accountId, '+4932211234567', addressId)
    const abroad = await assign(world, ada.accountId, '+442079460000', addressId)
    await ada.api.changeNumber({ numberId: landline }, { endpointId: 'p0' })

    await ada.api.changeAddress({ addressId }, { ...dusseldorf, street: 'Königsallee', number: '1' })
    assert.equal((await ada.api.getNumber({ numberId: landline })).state, 'ACTIVE')

    await ada.api.changeAddress({ addressId }, cologne)
    const states = async (...ids: string[]) => Promise.all(ids.map(async (numberId) => (await ada.api.getNumber({ numberId })).state))
    assert.deepEqual(await states(landline, mobile, national, abroad), ['DEACTIVATED', 'ACTIVE', 'ACTIVE', 'ACTIVE'])
    await assert.rejects(ada.api.changeNumber({ numberId: landline }, { endpointId: 'p0' }), { status: 409 })
    await assert.rejects(ada.api.changeNumber({ numberId: landline }, { endpointId: '' }), { status: 409 })
    const { appEvents, audit } = world.running.deps.store.read
    const events = await appEvents.list(ada.accountId)
    assert.deepEqual(
      events.map(({ type, name, payload }) => ({ type, name, payload })),
      [{ type: 'ADDRESS_CHANGE', name: 'address_change_deactivated_numbers', payload: { addressId, numbers: '+4921163550000' } }],
    )
    const last = (await audit.list(ada.accountId, { afterSeq: 0, limit: 100 })).at(-1)
    assert.equal(last?.action, 'address.change')
    assert.deepEqual(last?.detail, { restored: [], pending: [], deactivated: [landline] })

    const all = (await ada.api.listAddressNumbers({ addressId })).items.map(({ id }) => id)
    assert.deepEqual(new Set(all), new Set([landline, mobile, national, abroad]))
    const bob = await world.newUser(ada.accountId)
    assert.deepEqual(await bob.api.listAddressNumbers({ addressId }), { items: [] })
  })

  test(`${database}: gives two weeks for an unknown place, until a confirmation or moving back`, async (t) => {
    const { world, ada, addressId, landline } = await scene(t)
    const state = async () => (await ada.api.getNumber({ numberId: landline })).state
    const operator = await world.operator()

    await ada.api.changeAddress({ addressId }, village)
    assert.equal(await state(), 'ADDRESS_PENDING')
    await ada.api.changeNumber({ numberId: landline }, { endpointId: 'p0' })
    await world.clock.jump(10 * dayMs)
    await ada.api.changeAddress({ addressId }, dusseldorf)
    assert.equal(await state(), 'ACTIVE')
    await world.clock.jump(10 * dayMs)
    assert.equal(await state(), 'ACTIVE', 'the deadline of the first move is gone')

    await ada.api.changeAddress({ addressId }, village)
    await operator.confirmNumber({ numberId: landline })
    assert.equal(await state(), 'ACTIVE')
    await assert.rejects(operator.confirmNumber({ numberId: landline }), { status: 409 })
    await ada.api.changeAddress({ addressId }, { ...village, number: '7' })
    assert.equal(await state(), 'ACTIVE', 'a place that was looked at stays right')

    await ada.api.changeAddress({ addressId }, { ...village, city: 'Vordertupfing' })
    assert.equal(await state(), 'ADDRESS_PENDING')
    await world.clock.jump(10 * dayMs)
    await ada.api.changeAddress({ addressId }, { ...village, city: 'Obertupfing' })
    await world.clock.jump(5 * dayMs)
    assert.equal(await state(), 'DEACTIVATED', 'another move does not buy time')
    const names = (await world.running.deps.store.read.appEvents.list(ada.accountId)).map(({ name }) => name)
    assert.deepEqual(names, [...Array<string>(3).fill('number_address_pending'), 'address_change_deactivated_numbers'])
    await operator.reactivateNumber({ numberId: landline })
    assert.equal(await state(), 'ACTIVE')
  })

  test(`${database}: changes nothing when a move fails half way`, async (t) => {
    const { world, ada, addressId, landline } = await scene(t)
    const before = await ada.api.getAddress({ addressId })
    const address = {
      id: Number(addressId),
      poBox: '',
      extendedAddress: '',
      street: 'Domkloster',
      houseNumber: '4',
      locality: 'Köln',
      region: '',
      postalCode: '50667',
      country: 'DE',
    }
    const broken = world.write((tables) => {
      const audit = { ...tables.audit, append: () => Promise.reject(new Error('the disk is full')) }
      return changeAddress({ ...tables, audit }, world.clock, { accountId: ada.accountId, actor: 'test', address })
    })
    await assert.rejects(broken, /the disk is full/)
    assert.deepEqual(await ada.api.getAddress({ addressId }), before)
    assert.equal((await ada.api.getNumber({ numberId: landline })).state, 'ACTIVE')
    assert.deepEqual(await world.running.deps.store.read.appEvents.list(ada.accountId), [])
  })
}
