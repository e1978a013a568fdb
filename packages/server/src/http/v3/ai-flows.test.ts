import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bothDatabases, databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

for (const database of bothDatabases)
  test(`${database}: restricts flows to their account and its numbers`, async (t) => {
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
    const [{ number } = assert.fail()] = (await ada.api.listNumbers()).items
    const listedNumber = await ada.api.createFlow({}, { name: 'As listed', phone_number: number })
    assert.deepEqual([number, listedNumber.phone_number], ['+4915112345678', '4915112345678'])
    await ada.api.deleteFlow({ aiFlowId: listedNumber.id })
    assert.deepEqual(await bob.api.getFlow({ aiFlowId }), flow)
    assert.deepEqual(await bob.api.listFlows(), { items: [{ ...flow, health: { state: 'UNTESTED' } }] })
    const [listed] = (await ada.api.listFlows()).items
    assert.ok(listed)
    const { id: _id, apiKeySet: _key, speech: _speech, ...read } = listed
    await ada.api.changeFlow({ aiFlowId }, read) // like programs that know neither health nor version
    await ada.api.changeFlow({ aiFlowId }, { name: 'Front desk' })
    const { apiKeySet, speech } = flow
    assert.deepEqual(await ada.api.getFlow({ aiFlowId }), { id: aiFlowId, name: 'Front desk', apiKeySet, version: 2, speech })

    const bad: [object, string][] = [
      [{ name: ' ' }, 'name'],
      [{ name: 'x', webhookUrl: 'ftp://example.com' }, 'webhookUrl'],
      [{ name: 'x', webhookUrl: 'nonsense' }, 'webhookUrl'],
      [{ name: 'x', phone_number: '0151 12345678' }, 'phone_number'],
      [{ name: 'x', phone_number: '4915112345679' }, 'phone_number'],
    ]
    for (const [body, field] of bad) {
      await assert.rejects(ada.api.createFlow({}, body as { name: string }), withCode('parameter_invalid', field))
      await assert.rejects(ada.api.changeFlow({ aiFlowId }, body as { name: string }), withCode('parameter_invalid', field))
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

for (const database of databases)
  test(`${database}: limits an account to 1,000 flows, listed by creation`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    await world.write(async ({ flows }) => {
      for (let nth = 0; nth < 999; nth++)
        await flows.insert(ada.accountId, { id: `flow-${999 - nth}`, name: `Flow ${nth}`, settings: {} }, nth)
    })
    const last = await ada.api.createFlow({}, { name: 'Flow 999' })
    await assert.rejects(ada.api.createFlow({}, { name: 'Flow 1000' }), withCode('conflict', '1000'))
    const { items } = await ada.api.listFlows()
    assert.deepEqual(
      items.map(({ name }) => name),
      Array.from({ length: 1_000 }, (_, nth) => `Flow ${nth}`),
    )
    assert.equal(items.at(-1)?.id, last.id)
  })
