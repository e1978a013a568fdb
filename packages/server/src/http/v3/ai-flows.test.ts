import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'

for (const database of databases)
  test(`${database}: flows belong to their account and need their own number`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    const { id: numberId } = await operator.assignNumber({}, { accountId: ada.accountId, number: '+4915112345678' })
    await operator.assignNumber({}, { accountId: eve.accountId, number: '+4915112345679' })

    const input = { name: 'Reception', webhookUrl: 'https://example.com/hook', phone_number: '4915112345678' }
    const { secret, ...flow } = await ada.api.createFlow({}, input)
    assert.match(secret, /^whsec_/)
    assert.match(flow.id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    const aiFlowId = flow.id
    assert.deepEqual(await bob.api.getFlow({ aiFlowId }), flow)
    assert.deepEqual(await bob.api.listFlows(), { items: [{ ...flow, health: { state: 'UNTESTED' } }] })
    const [listed] = (await ada.api.listFlows()).items
    assert.ok(listed)
    const { id: _id, apiKeySet: _key, speech: _speech, ...read } = listed
    await ada.api.changeFlow({ aiFlowId }, read) // as programs do that knew no health and no version
    await ada.api.changeFlow({ aiFlowId }, { name: 'Front desk' })
    const { apiKeySet, speech } = flow
    assert.deepEqual(await ada.api.getFlow({ aiFlowId }), { id: aiFlowId, name: 'Front desk', apiKeySet, version: 2, speech })

    const bad: [object, RegExp][] = [
      [{ name: ' ' }, /name/],
      [{ name: 'x', webhookUrl: 'ftp://example.com' }, /webhookUrl/],
      [{ name: 'x', webhookUrl: 'nonsense' }, /webhookUrl/],
      [{ name: 'x', phone_number: '+4915112345678' }, /phone_number/],
      [{ name: 'x', phone_number: '4915112345679' }, /phone_number is no active number/],
    ]
    for (const [body, message] of bad) {
      await assert.rejects(ada.api.createFlow({}, body as { name: string }), { status: 400, message })
      await assert.rejects(ada.api.changeFlow({ aiFlowId }, body as { name: string }), { status: 400, message })
    }
    await operator.deactivateNumber({ numberId })
    await assert.rejects(ada.api.changeFlow({ aiFlowId }, { name: 'x', phone_number: '4915112345678' }), { status: 400 })
    await operator.reactivateNumber({ numberId })

    await assert.rejects(bob.api.createFlow({}, { name: 'x' }), { status: 403 })
    await assert.rejects(bob.api.changeFlow({ aiFlowId }, { name: 'x' }), { status: 403 })
    await assert.rejects(eve.api.getFlow({ aiFlowId }), { status: 404 })
    await assert.rejects(eve.api.changeFlow({ aiFlowId }, { name: 'x' }), { status: 404 })
    await assert.rejects(eve.api.deleteFlow({ aiFlowId }), { status: 404 })
    assert.deepEqual(await eve.api.listFlows(), { items: [] })

    await ada.api.changeNumber({ numberId }, { endpointId: aiFlowId })
    await assert.rejects(ada.api.deleteFlow({ aiFlowId }), { status: 409 })
    await ada.api.changeNumber({ numberId }, { endpointId: '' })
    await ada.api.deleteFlow({ aiFlowId })
    await assert.rejects(ada.api.getFlow({ aiFlowId }), { status: 404 })
  })
