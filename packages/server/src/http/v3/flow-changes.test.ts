import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@offhook/sdk'
import { databases, startWorld } from '#test/world/world.ts'

const problem = (code: string) => (error: unknown) => error instanceof ApiError && error.body.code === code

for (const database of databases) {
  test(`${database}: keeps and restores versions of a flow, and rejects outdated changes`, async (t) => {
    const world = await startWorld(t, { database })
    const { accountId, api, userId } = await world.newAccount()
    const { id: aiFlowId, version } = await api.createFlow({}, { name: 'Bot', language: 'de', apiKey: 'k3y' })
    assert.equal(version, 1)
    const at = new Date(world.clock.now()).toISOString()
    await world.clock.advance(1000)
    await api.changeFlow({ aiFlowId }, { name: 'Bot', recording: true }, { ifMatch: '"1"' })
    await assert.rejects(api.changeFlow({ aiFlowId }, { name: 'Mine' }, { ifMatch: 'W/"1"' }), problem('flow_changed'))
    await api.changeFlow({ aiFlowId }, { name: 'Bot', recording: true }, { ifMatch: '"1", "2"' })
    assert.equal((await api.getFlow({ aiFlowId })).version, 2, 'nothing was changed')
    const changedAt = new Date(world.clock.now()).toISOString()
    const changes = [
      { version: 2, at: changedAt, author: userId, settings: { name: 'Bot', recording: true } },
      { version: 1, at, author: userId, settings: { name: 'Bot', language: 'de' } },
    ]
    assert.deepEqual((await api.listFlowVersions({ aiFlowId })).items, changes)

    assert.deepEqual(await api.restoreFlowVersion({ aiFlowId, version: '1' }), { version: 3 })
    const restored = await api.getFlow({ aiFlowId })
    assert.deepEqual([restored.language, restored.recording, restored.apiKeySet, restored.version], ['de', undefined, true, 3])
    for (const unknown of ['9', '0', 'x'])
      await assert.rejects(api.restoreFlowVersion({ aiFlowId, version: unknown }), problem('flow_version_not_found'))
    const kept = JSON.stringify(await world.running.deps.store.read.flowVersions.list(accountId, aiFlowId))
    assert.ok(!kept.includes('apiKey') && !kept.includes('secret'))
    // A flow from before versions existed: its settings are stored with its first change.
    const flow = { id: 'old', name: 'Old', settings: {} }
    await world.write(({ flows }) => flows.insert(accountId, flow, 5))
    await api.changeFlow({ aiFlowId: 'old' }, { name: 'New' })
    const [, first] = (await api.listFlowVersions({ aiFlowId: 'old' })).items
    assert.deepEqual(first, { version: 1, at: new Date(5).toISOString(), settings: { name: 'Old' } })
    await api.deleteFlow({ aiFlowId })
    assert.deepEqual(await world.running.deps.store.read.flowVersions.list(accountId, aiFlowId), [])
  })
}
