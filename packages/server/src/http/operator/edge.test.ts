import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '#test/world/world.ts'

test('serves the edge files: source addresses of trunks, and nodes', async (t) => {
  const world = await startWorld(t)
  const operator = await world.operator()
  const { id } = await operator.createTrunk(
    {},
    { name: 'Carrier', host: '192.0.2.9', sourceAddresses: ['192.0.2.0/28'], outboundProxy: '10.0.0.1' },
  )
  assert.equal((await operator.readTrunk({ trunkId: id })).outboundProxy, '10.0.0.1')
  assert.equal(await operator.listEdgeCarriers(), `1 192.0.2.0 28 0 ${id}\n`)
  const { sip } = world.running
  assert.equal(await operator.listEdgeProcesses(), `1 ${sip} 8 0\n2 ${sip} 0 0\n`)
  assert.equal(await operator.listEdgeProcesses({ region: 'fra1' }), `2 ${sip} 0 0\n`)
  await assert.rejects(operator.listEdgeProcesses({ region: 'Fra 1' }), { status: 400 })
  const reply = await fetch(`${world.url}/operator/v1/edge/processes`)
  assert.equal(reply.status, 401)
})

test('accepts an outbound proxy as a host with optional port and transport', async (t) => {
  const operator = await (await startWorld(t)).operator()
  const make = (outboundProxy: string) => operator.createTrunk({}, { name: 'Carrier', host: '192.0.2.9', outboundProxy })
  for (const right of ['', 'edge.example', '10.0.0.1:5060', '[2001:db8::1]:5060', '10.0.0.1:5061;transport=tls'])
    assert.equal((await make(right)).outboundProxy, right)
  for (const wrong of ['10.0.0', 'a b', '10.0.0.1:99999', 'sip:10.0.0.1', '10.0.0.1;lr', '10.0.0.1>'])
    await assert.rejects(make(wrong), { status: 400 }, wrong)
})
