import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const hours = { name: 'opening hours', steps: [{ say: 'When are you open?' }, { expect: { said: 'tuesday' } }] }

for (const database of databases)
  test(`${database}: stores scenarios with a flow, replaces them by name, and deletes them with it`, async (t) => {
    const world = await startWorld(t, { database })
    const [ada, eve] = [await world.newAccount(), await world.newAccount()]
    const { id: aiFlowId } = await ada.api.createFlow({}, { name: 'Reception' })
    const names = async () => (await ada.api.listScenarios({ aiFlowId })).items.map(({ name, required }) => [name, required])
    await ada.api.setScenario({ aiFlowId, name: hours.name }, { ...hours, required: true })
    await ada.api.setScenario({ aiFlowId, name: 'a' }, { ...hours, name: 'a' })
    assert.deepEqual(await names(), [
      ['a', false],
      ['opening hours', true],
    ])
    await ada.api.setScenario({ aiFlowId, name: hours.name }, { ...hours, steps: [{ hang_up: true }] })
    const [, changed] = (await ada.api.listScenarios({ aiFlowId })).items
    assert.deepEqual([changed?.steps, changed?.required], [[{ hang_up: true }], false])

    await assert.rejects(ada.api.setScenario({ aiFlowId, name: 'b' }, hours), withCode('parameter_invalid', 'name'))
    const much = Array.from({ length: 40 }, () => ({ say: 'x'.repeat(2000) }))
    await assert.rejects(ada.api.setScenario({ aiFlowId, name: 'b' }, { name: 'b', steps: much }), { status: 413 })
    await assert.rejects(eve.api.setScenario({ aiFlowId, name: 'a' }, { ...hours, name: 'a' }), { status: 404 })
    await assert.rejects(eve.api.listScenarios({ aiFlowId }), { status: 404 })
    await assert.rejects(eve.api.deleteScenario({ aiFlowId, name: 'a' }), { status: 404 })

    await ada.api.deleteScenario({ aiFlowId, name: 'a' })
    await assert.rejects(ada.api.deleteScenario({ aiFlowId, name: 'a' }), withCode('scenario_not_found'))
    const audit = await world.running.deps.store.read.audit.list(ada.accountId, { afterSeq: 0, limit: 100 })
    assert.deepEqual(
      audit.map(({ action }) => action).filter((action) => action.startsWith('scenario.')),
      ['scenario.set', 'scenario.set', 'scenario.set', 'scenario.delete'],
    )
    await ada.api.deleteFlow({ aiFlowId })
    assert.deepEqual(await world.running.deps.store.read.scenarios.names(ada.accountId, aiFlowId), [])
  })
