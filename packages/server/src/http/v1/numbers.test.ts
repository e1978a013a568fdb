import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const dayMs = 24 * 60 * 60 * 1000

const assign = async (world: World, accountId: string, number: string): Promise<string> => {
  const operator = await world.operator()
  return (await operator.assignNumber({}, { accountId, number })).id
}

const newGroup = (world: World, accountId: string): Promise<string> =>
  world.write((tables) =>
    tables.groups.create(accountId, {
      alias: 'Sales',
      strategy: 'PARALLEL',
      ringSeconds: 20,
      departmentId: undefined,
      at: world.clock.now(),
    }),
  )

for (const database of databases) {
  test(`${database}: routes a number to its target only`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    const numberId = await assign(world, ada.accountId, '+4915112345678')
    const national = await assign(world, ada.accountId, '+4932211234567')
    const group = await newGroup(world, ada.accountId)
    const flow = await ada.api.createFlow({}, { name: 'Reception' })
    const foreignFlow = await eve.api.createFlow({}, { name: 'Spy' })

    const plain = { endpointId: '', endpointAlias: '', endpointUrl: '' }
    const mobile = { id: numberId, number: '+4915112345678', localized: '01511 2345678', type: 'MOBILE', state: 'ACTIVE' }
    assert.deepEqual(await ada.api.getNumber({ numberId }), { ...mobile, ...plain, mnpState: { isReleased: false, releasedUntil: null } })

    const targets: [string, string][] = [
      ['p1', '/v1/w1/phonelines/p1'],
      [group, `/v1/groups/${group}`],
      ['f1', '/v1/w1/faxlines/f1'],
      ['v1', '/v1/voicemails/v1'],
      ['s1', '/v1/w1/sms/s1'],
      [flow.id, `/v3/ai-flows/${flow.id}`],
    ]
    for (const [endpointId, endpointUrl] of targets) {
      await ada.api.changeNumber({ numberId }, { endpointId })
      const number = await ada.api.getNumber({ numberId })
      assert.deepEqual([number.endpointId, number.endpointUrl], [endpointId, endpointUrl])
      assert.notEqual(number.endpointAlias, '')
      const found = (await bob.api.listUserNumbers({ userId: 'w1' })).items.map(({ id }) => id)
      assert.deepEqual(found, endpointUrl.includes('w1') || endpointId === 'v1' ? [numberId] : [], endpointId)
    }
    await ada.api.changeNumber({ numberId }, { endpointId: null })
    assert.equal((await ada.api.getNumber({ numberId })).endpointId, '')

    for (const endpointId of ['p9', 'w1', 'e0', 'nonsense', foreignFlow.id, 'f1\u0000x'])
      await assert.rejects(ada.api.changeNumber({ numberId }, { endpointId }), { status: 400 }, endpointId)
    await assert.rejects(ada.api.changeNumber({ numberId: national }, { endpointId: 's1' }), withCode('parameter_invalid', 'endpointId'))
    await assert.rejects(
      ada.api.changeNumber({ numberId }, { quickDial: true }),
      withCode('parameter_invalid', 'quickDial'),
      'it leads nowhere',
    )
    await ada.api.changeNumber({ numberId }, { quickDial: false, endpointId: 'p1' })

    assert.deepEqual(
      (await ada.api.listUserNumbers({ userId: 'w0' })).items.map(({ id }) => id),
      [national],
      'what leads to nobody is the administrator’s',
    )
    assert.deepEqual(
      (await ada.api.listUserNumbers({ userId: 'w1' })).items.map(({ id }) => id),
      [numberId],
    )
    assert.deepEqual((await ada.api.listNumbers()).items.map(({ id }) => id).toSorted(), [numberId, national].toSorted())
    assert.deepEqual(
      (await bob.api.listNumbers()).items.map(({ id }) => id),
      [numberId],
    )
    assert.equal((await bob.api.getNumber({ numberId })).id, numberId)
    await assert.rejects(bob.api.getNumber({ numberId: national }), { status: 403 })
    await assert.rejects(bob.api.listUserNumbers({ userId: 'w0' }), { status: 403 })
    await assert.rejects(bob.api.changeNumber({ numberId }, { endpointId: '' }), { status: 403 })
    await assert.rejects(ada.api.listUserNumbers({ userId: 'w7' }), { status: 404 })
    await assert.rejects(eve.api.getNumber({ numberId }), { status: 404 })
    await assert.rejects(eve.api.changeNumber({ numberId }, { endpointId: '' }), { status: 404 })
  })

  test(`${database}: rejects deleting a target while a number is being routed to it`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const { accountId } = ada
    const numberId = await assign(world, accountId, '+4915112345678')
    const outcome = async (work: Promise<unknown>): Promise<number> =>
      work.then(
        () => 204,
        (error: { status: number }) => error.status,
      )
    for (let round = 0; round < 10; round++) {
      const { id: aiFlowId } = await ada.api.createFlow({}, { name: 'Reception' })
      const group = await newGroup(world, accountId)
      const races = [
        [aiFlowId, () => ada.api.deleteFlow({ aiFlowId })],
        [group, () => ada.api.deleteGroup({ groupId: group })],
      ] as const
      for (const [endpointId, remove] of races) {
        const pair = [ada.api.changeNumber({ numberId }, { endpointId }), remove()]
        const outcomes = await Promise.all((round % 2 === 0 ? pair : pair.toReversed()).map(outcome))
        assert.equal(outcomes.filter((status) => status === 204).length, 1, `${outcomes.join(' ')}: one wins, the other is refused`)
        assert.ok(Math.max(...outcomes) < 500)
        await ada.api.changeNumber({ numberId }, { endpointId: '' })
      }
    }
  })

  test(`${database}: ends a release for another mobile provider automatically`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const numberId = await assign(world, ada.accountId, '+4915112345678')
    const national = await assign(world, ada.accountId, '+4932211234567')
    const state = async () => (await ada.api.getNumber({ numberId })).mnpState
    const actions = async () =>
      (await world.running.deps.store.read.audit.list(ada.accountId, { afterSeq: 0, limit: 100 })).map(({ action }) => action)

    await assert.rejects(
      ada.api.changeNumber({ numberId: national }, { releaseForMnp: true }),
      withCode('parameter_invalid', 'releaseForMnp'),
    )
    assert.equal((await ada.api.getNumber({ numberId: national })).mnpState, undefined)
    const home = { accountId: ada.accountId, countrycode: 'DE', postcode: '40213', city: 'Düsseldorf' }
    const operator = await world.operator()
    const { id: addressId } = await operator.createAddress({}, home)
    const { id: landline } = await operator.assignNumber({}, { accountId: ada.accountId, number: '+4921163550000', addressId })
    for (const one of [national, landline, numberId]) {
      await ada.api.changeNumber({ numberId: one }, { endpointId: 'p0', releaseForMnp: false, quickDial: false })
      assert.equal((await ada.api.getNumber({ numberId: one })).endpointId, 'p0', 'the whole documented body routes every kind of number')
    }
    assert.ok(!(await actions()).includes('number.mnp_close'), 'what was never released is not closed')
    await ada.api.changeNumber({ numberId }, { releaseForMnp: true })
    const until = new Date(world.clock.now() + 30 * dayMs).toISOString()
    assert.deepEqual(await state(), { isReleased: true, releasedUntil: until })
    const [event] = await world.running.deps.store.read.appEvents.list(ada.accountId)
    assert.deepEqual(event?.payload, { numberId, number: '+4915112345678', until })

    await ada.api.changeNumber({ numberId }, { releaseForMnp: false })
    assert.deepEqual(await state(), { isReleased: false, releasedUntil: null })
    await ada.api.changeNumber({ numberId }, { releaseForMnp: true })
    await world.clock.jump(20 * dayMs)
    await ada.api.changeNumber({ numberId }, { releaseForMnp: true })
    await world.clock.jump(20 * dayMs)
    assert.equal((await state())?.isReleased, true, 'a renewed release lives on')
    await world.clock.jump(10 * dayMs)
    assert.deepEqual(await state(), { isReleased: false, releasedUntil: null })
  })

  test(`${database}: adds a quick dial for a number and removes it by quickDial`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const numberId = await assign(world, ada.accountId, '+4915199990001')
    const dials = async () => (await ada.api.listNumbers()).items.filter(({ type }) => type === 'QUICKDIAL')

    await ada.api.changeNumber({ numberId }, { endpointId: 'p0', quickDial: true })
    const [dial, ...more] = await dials()
    assert.deepEqual([dial?.number, dial?.endpointId, more.length], ['10', 'p0', 0])
    await ada.api.changeNumber({ numberId }, { quickDial: true })
    await ada.api.changeNumber({ numberId }, { endpointId: 'p0', quickDial: false })
    assert.deepEqual(await dials(), [dial], 'a target that has one keeps it')

    await ada.api.changeNumber({ numberId: dial?.id ?? '' }, { quickDial: true })
    await ada.api.changeNumber({ numberId: dial?.id ?? '' }, { quickDial: false })
    assert.deepEqual(await dials(), [])
    await assert.rejects(ada.api.changeNumber({ numberId }, { endpointId: 'f0', quickDial: true }), { status: 400, message: /quickDial/ })
    assert.equal((await ada.api.getNumber({ numberId })).endpointId, 'p0', 'a rejected change changes nothing')
  })

  test(`${database}: requires quick dials to be short, free, and one per target`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    const group = await newGroup(world, ada.accountId)

    await ada.api.validateQuickDial({ quickDialNumber: '44' })
    await ada.api.addQuickDial({}, { userId: 'w1', number: '44' })
    const [dial] = (await bob.api.listNumbers()).items
    assert.deepEqual([dial?.number, dial?.localized, dial?.type, dial?.endpointId], ['44', '44', 'QUICKDIAL', 'p1'])
    const id = dial?.id ?? ''

    await assert.rejects(ada.api.validateQuickDial({ quickDialNumber: '44' }), { status: 409, name: 'RESOURCE_ALREADY_EXISTS' })
    await eve.api.validateQuickDial({ quickDialNumber: '44' })
    await eve.api.addQuickDial({}, { userId: 'w0' })
    const line = await eve.api.createPhoneline({ userId: 'w0' }, { alias: 'Second' })
    await eve.api.addQuickDial({}, { userId: line.id })
    const [first, second] = (await eve.api.listNumbers()).items
    assert.deepEqual(new Set([first?.number, second?.number]), new Set(['10', '12']), '11 begins 110 and 112')
    for (const quickDialNumber of ['1', '123456', '012', 'abc', '112', '1105', '911', '999', '9950', '50000'])
      await assert.rejects(ada.api.validateQuickDial({ quickDialNumber }), withCode('parameter_invalid', 'number'), quickDialNumber)
    await assert.rejects(ada.api.addQuickDial({}, { userId: group, number: '44' }), { status: 409 })
    await assert.rejects(ada.api.addQuickDial({}, { userId: 'p1', number: '45' }), withCode('quickdial_per_routing'))
    for (const userId of ['w9', 'g9', 'f0', 'e0', ''])
      await assert.rejects(ada.api.addQuickDial({}, { userId, number: '46' }), withCode('parameter_invalid', 'userId'), userId)
    await ada.api.addQuickDial({}, { userId: group, number: '60' })

    await assert.rejects(ada.api.changeQuickDial({ quickdialId: id }, { userId: 'w0', number: '60' }), { status: 409 })
    await assert.rejects(ada.api.changeQuickDial({ quickdialId: id }, { userId: group, number: '44' }), { status: 409 })
    await ada.api.changeQuickDial({ quickdialId: id }, { userId: 'w0', number: '47' })
    await ada.api.changeQuickDial({ quickdialId: id }, { userId: 'w1' })
    assert.equal((await ada.api.getNumber({ numberId: id })).number, '47', 'without a number it keeps its own')
    await ada.api.changeQuickDial({ quickdialId: id }, { userId: 'w0' })
    assert.deepEqual((await ada.api.listUserNumbers({ userId: 'w0' })).items.map(({ number }) => number).toSorted(), ['47', '60'])
    await ada.api.changeNumber({ numberId: id }, { endpointId: 'p1', quickDial: true })
    await assert.rejects(ada.api.changeNumber({ numberId: id }, { endpointId: group }), { status: 409 })
    for (const endpointId of ['', 'f1', 'v1'])
      await assert.rejects(ada.api.changeNumber({ numberId: id }, { endpointId }), { status: 400 }, endpointId)
    await ada.api.changeNumber({ numberId: id }, { endpointId: 'p0' })
    await ada.api.validateQuickDial({ quickDialNumber: '44' })
    await assert.rejects(ada.api.changeNumber({ numberId: id }, { endpointId: 'p0', quickDial: false }), {
      status: 400,
      message: /quickDial/,
    })

    await assert.rejects(bob.api.addQuickDial({}, { userId: 'w1', number: '48' }), { status: 403 })
    await assert.rejects(bob.api.deleteQuickDial({ numberId: id }), { status: 403 })
    await assert.rejects(eve.api.changeQuickDial({ quickdialId: id }, { userId: 'w0', number: '49' }), { status: 404 })
    await assert.rejects(eve.api.deleteQuickDial({ numberId: id }), { status: 404 })
    const mobile = await assign(world, ada.accountId, '+4915112345678')
    await assert.rejects(ada.api.deleteQuickDial({ numberId: mobile }), { status: 404 })
    await ada.api.deleteQuickDial({ numberId: id })
    await ada.api.addQuickDial({}, { userId: 'w0', number: '47' })
  })
}
