import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '#test/world/world.ts'
import { chooseFlow } from './choose-flow.ts'

test('takes the flow that dev opened last, unless its webhook is on this machine and dev has ended', async (t) => {
  const world = await startWorld(t)
  const { api } = await world.newAccount()
  const demo = await api.createFlow({}, { name: 'Demo', webhookUrl: 'https://demo.example/' })
  const served = async (settings: object): Promise<string> => {
    const { id: openedFlowId } = await api.createFlow({}, { name: 'Opened', ...settings })
    const { name } = await chooseFlow({ api, notes: { flowId: demo.id, openedFlowId } }, undefined)
    await api.deleteFlow({ aiFlowId: openedFlowId })
    return name
  }
  assert.equal(await served({ websocketUrl: 'ws://127.0.0.1:3001' }), 'Opened')
  assert.equal(await served({ webhookUrl: 'https://office.example/' }), 'Opened')
  assert.equal(await served({ webhookUrl: 'http://127.0.0.1:3000/' }), 'Demo')
  assert.equal(await served({ webhookUrl: 'http://localhost:3000/' }), 'Demo')
})
