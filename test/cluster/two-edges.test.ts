import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Cluster, parts, type ClusterPhone, type Transport } from '#test/cluster/cluster.ts'
import { ClusterDatabase } from '#test/cluster/database.ts'
import { Edge } from '#test/cluster/edge.ts'
import { beginBridge } from '#test/cluster/live-calls.ts'
import { edgeAddresses, movingAddress, MovingAddress } from '#test/cluster/moving-address.ts'
import { bridgeAt, NetworkMachine } from '#test/machine/network-machine.ts'
import { isInOwnNetwork, runInOwnNetwork } from '#test/machine/own-network.ts'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'

const skip = process.env.OFFHOOK_TEST_CLUSTER === 'short' && 'part of the full form'
const processes = ['10.0.0.11', '10.0.0.12', '10.0.0.13']
const phones = '10.0.0.100'

const transports: readonly Transport[] = ['udp', 'tcp', 'tls', 'ws']

/** Phones register again after a lost connection; a page opens another WebSocket. */
const reconnect = async (cluster: Cluster, lost: ClusterPhone, transport: Transport): Promise<ClusterPhone> => {
  if (transport === 'ws') return cluster.phone('ws')
  await until(`the ${transport} phone is registered again`, async () => (await lost.phone.register()).status === 200 || undefined)
  return lost
}

const moveTwice = async (t: TestContext): Promise<void> => {
  const { url: databaseUrl } = await ClusterDatabase.start(t)
  const [first, second] = [await NetworkMachine.open(t, edgeAddresses[0]), await NetworkMachine.open(t, edgeAddresses[1])]
  const moving = new MovingAddress(t, [first, second])
  await moving.prepare()
  const places = { edge: movingAddress, edgeMachine: first, processes, phones }
  // The address has to be there before the processes start: the first machine alone takes it.
  const edgeStarted = (edge: Edge): Promise<unknown> => moving.startKeepalived(first, edge)
  const cluster = await Cluster.start(t, { databaseUrl, withoutHttp: true, places, edgeStarted })
  const { edge } = cluster
  const standby = await Edge.start(t, {
    host: edge.host,
    machine: second,
    port: Number(edge.sip.split(':')[1]),
    processes: cluster.processes.map(({ sip }) => sip),
    certificate: cluster.certificate,
  })
  await moving.startKeepalived(second, standby)
  await moving.isAt(first)

  const caller = await cluster.phone()
  const callees: ClusterPhone[] = []
  for (const transport of transports) callees.push(await cluster.phone(transport))
  const [udp, tcp] = callees
  assert.ok(udp && tcp)
  const call = await beginBridge(caller, udp, [500, 900])
  const overTcp = await beginBridge(await cluster.phone(), tcp, [600, 1000])
  const ears = [...call.ears, ...overTcp.ears]
  for (const ear of ears) ear.forget()

  const at = performance.now()
  await edge.stop()
  await moving.isAt(second)
  const movedMs = performance.now() - at
  await until('UDP phones register', async () => (await caller.phone.register()).status === 200 || undefined)
  const registeredMs = performance.now() - at
  await Promise.all(ears.map((ear) => ear.hearsNow()))
  t.diagnostic(`moved after ${Math.round(movedMs)} ms, REGISTER answered after ${Math.round(registeredMs)} ms`)
  t.diagnostic(`silence of ${ears.map(({ gapMs }) => Math.round(gapMs)).join(', ')} ms`)
  assert.deepEqual([call.isAlive, overTcp.isAlive], [true, true])
  await call.hangUp(true)

  for (const [index, transport] of transports.entries()) {
    const callee = await reconnect(cluster, callees[index] ?? assert.fail(), transport)
    const again = await beginBridge(caller, callee, [500, 900])
    await again.hangUp(index % 2 === 0)
    if (transport === 'tcp') await overTcp.hangUp(true)
  }

  await t.test('leaves the address where it is when the first edge returns, and moves it back when the second one dies', async () => {
    await edge.start()
    await moving.isAt(second)
    const call = await beginBridge(caller, udp, [500, 900])
    await standby.stop()
    await moving.isAt(first)
    await Promise.all(call.ears.map((ear) => ear.hearsNow()))
    await call.hangUp(false)
  })
}

test('keeps calls up when the machine with the moving address loses its edge', { skip }, async (t) => {
  if (isInOwnNetwork) return moveTwice(t)
  if (!(await needs(t, ...parts, 'ip', 'keepalived'))) return
  if (process.getuid?.() !== 0) return t.skip('skipped, the programs of several machines need root')
  t.diagnostic(await runInOwnNetwork(t, import.meta.filename, bridgeAt(...processes, phones)))
})
