import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorCode } from '@offhook/contract/errors.ts'
import { withCode } from '#test/http/with-code.ts'
import { databases, startWorld } from '#test/world/world.ts'

const address = { countrycode: 'DE', postcode: '40213', city: 'Düsseldorf', street: 'Marktplatz', number: '2' }

for (const database of databases)
  test(`${database}: assigns, removes and switches numbers`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const ada = await world.newAccount()
    const eve = await world.newAccount()
    const { accountId } = ada
    const { id: here } = await operator.createAddress({}, { accountId, ...address })
    const { id: unspecified } = await operator.createAddress({}, { accountId, ...address, postcode: '99999', city: 'Hintertupfing' })
    const { id: foreign } = await operator.createAddress({}, { accountId: eve.accountId, ...address })
    assert.equal((await operator.listAccountAddresses({ accountId })).items.length, 2)
    await assert.rejects(operator.listAccountAddresses({ accountId: '1' }), { status: 404 })
    await assert.rejects(operator.createAddress({}, { accountId: '1', ...address }), { status: 404 })

    const landline = await operator.assignNumber({}, { accountId, number: '0211 6355 0000', addressId: here })
    assert.deepEqual([landline.number, landline.type, landline.state, landline.addressId], ['+4921163550000', 'LANDLINE', 'ACTIVE', here])
    const wrong: [object, ErrorCode, ...string[]][] = [
      [{ accountId, number: '+4922116355000' }, 'parameter_invalid', 'addressId'],
      [{ accountId, number: '+4922116355000', addressId: here }, 'parameter_invalid', 'addressId'],
      [{ accountId, number: '+4921163550001', addressId: foreign }, 'parameter_invalid', 'addressId'],
      [{ accountId, number: '+4921163550001', addressId: 'x' }, 'parameter_invalid', 'addressId'],
      [{ accountId, number: '112' }, 'number_invalid', 'number'],
      [{ accountId, number: '+4921163550000', addressId: here }, 'already_exists'],
      [{ accountId: eve.accountId, number: '+4921163550000', addressId: foreign }, 'already_exists'],
      [{ accountId: '1', number: '+4915112345678' }, 'account_not_found'],
    ]
    for (const [body, code, ...named] of wrong)
      await assert.rejects(operator.assignNumber({}, body as { accountId: string; number: string }), withCode(code, ...named))
    const pending = await operator.assignNumber({}, { accountId, number: '+4921163550002', addressId: unspecified })
    assert.equal(pending.state, 'ADDRESS_PENDING')
    await operator.confirmNumber({ numberId: pending.id })
    assert.equal((await operator.readNumber({ numberId: pending.id })).state, 'ACTIVE')

    const { id: numberId } = landline
    await operator.deactivateNumber({ numberId })
    await assert.rejects(operator.deactivateNumber({ numberId }), { status: 409 })
    assert.equal((await ada.api.getNumber({ numberId })).state, 'DEACTIVATED')
    const again = await operator.assignNumber({}, { accountId: eve.accountId, number: '+4921163550000', addressId: foreign })
    await assert.rejects(operator.reactivateNumber({ numberId }), { status: 409 })
    await operator.releaseNumber({ numberId: again.id })
    await assert.rejects(operator.readNumber({ numberId: again.id }), { status: 404 })
    await operator.reactivateNumber({ numberId })
    assert.equal((await operator.readNumber({ numberId })).state, 'ACTIVE')

    const all = (await operator.listAllNumbers({})).items
    assert.equal(all.length, 2)
    assert.deepEqual((await operator.listAllNumbers({ limit: 1, after: all[0]?.id ?? '' })).items, [all[1]])
    assert.deepEqual(
      (await operator.listAllNumbers({ number: '0211 6355 0002' })).items.map(({ id }) => id),
      [pending.id],
    )
    assert.deepEqual((await operator.listAllNumbers({ accountId: eve.accountId })).items, [])
    await ada.api.addQuickDial({}, { userId: 'w0', number: '44' })
    const dial = (await ada.api.listNumbers()).items.find(({ type }) => type === 'QUICKDIAL')
    await assert.rejects(operator.readNumber({ numberId: dial?.id ?? '' }), { status: 404 })
    await assert.rejects(operator.deactivateNumber({ numberId: dial?.id ?? '' }), { status: 404 })
    await assert.rejects(ada.api.listAllNumbers({}), { status: 401 })
    const actions = (await world.running.deps.store.read.audit.list(accountId, { afterSeq: 0, limit: 100 })).map(({ action }) => action)
    for (const action of ['number.assign', 'number.deactivate', 'number.reactivate', 'number.confirm'])
      assert.ok(actions.includes(action), action)
  })
