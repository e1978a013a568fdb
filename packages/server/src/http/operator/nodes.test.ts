import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'node:test'
import { LocalHub } from '#adapters/bus/local-bus.ts'
import { until } from '#test/machine/peer-process.ts'
import { startCluster } from '#test/service/cluster.ts'
import { FaultyBus } from '#test/service/faulty-bus.ts'
import { freshPostgres } from '#test/store/databases.ts'
import { sip } from '#test/phones/sip-sockets.ts'
import { databases, startWorld, type World } from '#test/world/world.ts'

const replaced = { pollIntervalMs: 5_000 }
let asked = 0

/** Status that a proxy gets to OPTIONS: 200, or 503. */
const sipStatus = async ({ running }: World): Promise<string | undefined> => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  const branch = `z9hG4bK${++asked}`
  const question = `OPTIONS ${running.sip} SIP/2.0
Via: SIP/2.0/UDP 127.0.0.1:${port};branch=${branch}
From: <sip:p@127.0.0.1>;tag=1
To: <${running.sip}>
Call-ID: ${branch}
CSeq: 1 OPTIONS
Max-Forwards: 70
Content-Length: 0

`
  const answer = once(socket, 'message')
  socket.send(sip(question), Number(running.sip.split(':').at(-1)), '127.0.0.1')
  const [bytes] = (await answer) as [Buffer]
  socket.close()
  return bytes.toString().split(' ')[1]
}

const readiness = async ({ url }: World): Promise<unknown> => (await fetch(`${url}/ready`)).json()

for (const database of databases) {
  test(`${database}: lists a running node, drains it and puts it back`, async (t) => {
    const world = await startWorld(t, { database, replaced })
    const operator = await world.operator()
    const [node, ...others] = (await operator.listNodes()).items
    assert.ok(node && others.length === 0)
    assert.deepEqual([node.self, node.state, node.calls, node.sessions, node.faxes], [true, 'RUNNING', 0, 0, 0])
    assert.deepEqual([node.bus, await readiness(world)], ['none', { status: 'ready', bus: 'none' }])
    assert.deepEqual([node.http, node.sip], [world.url, world.running.sip])
    assert.equal(node.startedAt, new Date(world.clock.now()).toISOString())
    assert.ok(node.load.memoryBytes > 1_000_000 && node.load.busy <= 1)
    const { id: nodeId } = node
    const ada = await world.newAccount()
    const flow = await ada.api.createFlow({}, { name: 'Reception', webhookUrl: 'https://example.com/' })
    const startTalk = () => ada.api.startTalk({ aiFlowId: flow.id }, {})
    await world.clock.advance(10_000)
    assert.equal((await operator.listNodes()).items[0]?.seenAt, new Date(world.clock.now()).toISOString())

    assert.equal(await sipStatus(world), '200')
    await operator.drainNode({ nodeId }, { value: true })
    assert.equal((await operator.listNodes()).items[0]?.state, 'DRAINED')
    assert.equal(await sipStatus(world), '503')
    await assert.rejects(startTalk(), { status: 503 })
    await operator.drainNode({ nodeId }, { value: false })
    assert.equal((await operator.listNodes()).items[0]?.state, 'RUNNING')
    assert.equal(await sipStatus(world), '200')
    assert.match((await startTalk()).url, /^ws/)
    const actions = (await operator.listAudit({})).items.filter(({ target }) => target === nodeId).map(({ action }) => action)
    assert.deepEqual(actions, ['node.drain', 'node.undrain'])
    await assert.rejects(operator.drainNode({ nodeId: 'x' }, { value: true }), { status: 404 })
  })

  test(`${database}: rejects undraining a stopping node and shows a lost node for an hour`, async (t) => {
    const world = await startWorld(t, { database, replaced })
    const operator = await world.operator()
    await world.running.drain(0)
    await world.running.idle()
    const [node] = (await operator.listNodes()).items
    assert.equal(node?.state, 'STOPPING')
    await assert.rejects(operator.drainNode({ nodeId: node?.id ?? '' }, { value: false }), { status: 409 })
    assert.equal(await sipStatus(world), '503')

    const lost = { id: 'lost', name: 'another machine', version: '1', http: 'h', sip: 's', startedAt: 1, draining: false, stopping: false }
    const work = { calls: 3, sessions: 0, faxes: 0, processors: 0, busy: 0, memoryBytes: 0 }
    await world.write(({ nodes }) => nodes.keep({ ...lost, seenAt: world.clock.now(), work }))
    const stateOfLost = async () => (await operator.listNodes()).items.find(({ id }) => id === 'lost')?.state
    assert.equal(await stateOfLost(), 'RUNNING')
    await world.clock.advance(31_000)
    assert.equal(await stateOfLost(), 'GONE')
    await assert.rejects(operator.drainNode({ nodeId: 'lost' }, { value: true }), { status: 409 })
    await world.clock.jump(60 * 60_000)
    assert.equal(await stateOfLost(), undefined)
    await world.clock.jump(6 * 60 * 60_000)
    assert.equal(
      (await world.running.deps.store.read.nodes.list(0)).some(({ id }) => id === 'lost'),
      false,
    )
  })
}

test('drains another node, which leaves the list when it ends', async (t) => {
  const settings = { DATABASE_URL: await freshPostgres(), OFFHOOK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }
  const [here, there] = [await startWorld(t, { settings, replaced }), await startWorld(t, { settings, replaced })]
  const operator = await here.operator()
  const { items } = await operator.listNodes()
  assert.deepEqual([items.length, items.filter(({ self }) => self).length], [2, 1])
  const other = items.find(({ self }) => !self)
  assert.equal(other?.sip, there.running.sip)
  await operator.drainNode({ nodeId: other?.id ?? '' }, { value: true })
  const stateOfOther = async () => (await operator.listNodes()).items.find(({ id }) => id === other?.id)?.state
  assert.equal(await stateOfOther(), 'DRAINING', 'it does not know yet')
  await there.clock.advance(5_000)
  assert.equal(await stateOfOther(), 'DRAINED')
  assert.deepEqual([await sipStatus(here), await sipStatus(there)], ['200', '503'])
  await operator.drainNode({ nodeId: other?.id ?? '' }, { value: false })
  await there.clock.advance(5_000)
  assert.equal(await sipStatus(there), '200')
  await there.running.close()
  assert.equal(await stateOfOther(), undefined)
})

test('does not report a killed node as lost once another has replaced it', async (t) => {
  const world = await startWorld(t)
  const [node] = await world.running.deps.store.read.nodes.list(0)
  assert.ok(node)
  await world.write(({ nodes }) => nodes.keep({ ...node, id: 'killed' }))
  const { http, sip, name } = node
  await world.write(({ nodes }) => nodes.keep({ ...node, id: 'elsewhere', http: 'http://10.0.0.2:8080' }))
  await world.write(({ nodes }) => nodes.removeReplacedBy({ id: node.id, name, http, sip }))
  const left = await world.running.deps.store.read.nodes.list(0)
  assert.deepEqual(left.map(({ id }) => id).toSorted(), [node.id, 'elsewhere'].toSorted())
})

test('reports a missing bus when there are two nodes', async (t) => {
  const settings = { DATABASE_URL: await freshPostgres(), OFFHOOK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }
  const logged: string[] = []
  const parts = { ...replaced, log: (event: string) => void logged.push(event) }
  const here = await startWorld(t, { settings, replaced: parts })
  const missing = () => logged.filter((event) => event === 'bus_missing').length
  const there = await startWorld(t, { settings, replaced: parts })
  assert.equal(missing(), 1, 'the second one knows at once')
  for (let look = 0; look < 6; look++) for (const world of [there, here]) await world.clock.advance(5_000)
  assert.equal(missing(), 2)
  for (const world of [here, there]) assert.deepEqual(await readiness(world), { status: 'ready', bus: 'missing' })
  const operator = await here.operator()
  assert.deepEqual(
    (await operator.listNodes()).items.map(({ bus }) => bus),
    ['missing', 'missing'],
  )
  await there.running.close()
  await here.clock.advance(30_000)
  assert.deepEqual(await readiness(here), { status: 'ready', bus: 'none' })
})

test('reports whether nodes reach the bus', async (t) => {
  const cluster = await startCluster(t, { processes: 2, replaced })
  const [, there] = cluster.processes
  assert.ok(there)
  cluster.buses[1]?.become('cut')
  assert.deepEqual(await readiness(there), { status: 'ready', bus: 'away' })
  await there.running.deps.presence.look()
  const operator = await there.operator()
  const { items } = await operator.listNodes()
  for (const { self, bus } of items) assert.equal(bus, self ? 'away' : 'connected')
})

test('is ready once it has reached the bus, and stays ready when it loses it', async (t) => {
  const bus = new FaultyBus(new LocalHub())
  bus.become('cut')
  const world = await startWorld(t, { replaced: { ...replaced, bus } })
  const status = async (page: string) => (await fetch(`${world.url}${page}`)).status
  assert.deepEqual([await status('/ready'), await status('/health'), await sipStatus(world)], [503, 200, '200'])
  assert.match(JSON.stringify(await readiness(world)), /OFFHOOK_BUS/)
  bus.become('well')
  assert.deepEqual(await readiness(world), { status: 'ready', bus: 'connected' })
  bus.become('cut')
  assert.deepEqual(await readiness(world), { status: 'ready', bus: 'away' })
})

test('propagates a changed trunk to all nodes', async (t) => {
  const cluster = await startCluster(t, { processes: 2 })
  const [here, there] = cluster.processes
  assert.ok(here && there)
  const operator = await here.operator()
  const { id: trunkId } = await operator.createTrunk({}, { name: 'Carrier', host: '127.0.0.1', port: 9 })
  const knows = () => there.running.deps.trunkStates.of(trunkId) !== undefined
  await until('the trunk is known', knows)
  await operator.deleteTrunk({ trunkId })
  await until('the trunk is forgotten', () => !knows())
  cluster.buses[1]?.become('still')
  const { id } = await operator.createTrunk({}, { name: 'Unheard', host: '127.0.0.1', port: 9 })
  cluster.buses[1]?.become('cut')
  cluster.buses[1]?.become('well')
  await until('what was not heard is read', () => there.running.deps.trunkStates.of(id) !== undefined)
})
