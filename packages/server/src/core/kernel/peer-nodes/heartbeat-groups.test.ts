import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { localBus } from '#adapters/bus/local-bus.ts'
import { house, type HeartbeatProcess } from '#test/cluster/heartbeats.ts'

const many = async (t: TestContext, count: number) => {
  const all = house(t)
  const nodes = Array.from({ length: count }, (_, index) => all.join(`p${String(index).padStart(2, '0')}`))
  await all.pass(7_000, ...nodes)
  const without = (...gone: HeartbeatProcess[]): HeartbeatProcess[] => nodes.filter((node) => !gone.includes(node))
  return { ...all, nodes, without, node: (index: number) => nodes[index] ?? assert.fail() }
}

const goneAt = ({ seen }: HeartbeatProcess): string[] => seen.filter((one) => one.startsWith('gone'))

test('reports a death to all of 30 nodes within 1.4 s', async (t) => {
  const { dead, pass, without, node } = await many(t, 30)
  dead.add('p07')
  const living = without(node(7))
  await pass(1_400, ...living)
  for (const one of living) {
    assert.equal(goneAt(one).length, 1)
    assert.match(goneAt(one).join(), /^gone p07 at (7[6-9]|8[0-3])\d\d$/)
    assert.equal(one.heartbeat.others().length, 28)
  }
})

test('reports the death of neighbours on the ring at once', async (t) => {
  const { dead, pass, without, node } = await many(t, 30)
  const lost = [4, 5, 6, 7].map(node)
  for (const name of ['p04', 'p05', 'p06', 'p07']) dead.add(name)
  const living = without(...lost)
  await pass(1_400, ...living)
  for (const one of living) assert.equal(goneAt(one).length, 4)
})

test('drops a node whose watchers died with it, and leaves its calls to the lease', async (t) => {
  const { dead, pass, without, node } = await many(t, 30)
  const lost = [2, 3, 4, 5, 6, 7].map(node)
  for (const name of ['p02', 'p03', 'p04', 'p05', 'p06', 'p07']) dead.add(name)
  const living = without(...lost)
  await pass(5_000, ...living)
  for (const one of living) {
    assert.equal(goneAt(one).length, 5)
    assert.doesNotMatch(goneAt(one).join(), /p07/)
    assert.equal(one.heartbeat.others().length, 23)
  }
})

test('sends heartbeats to five watchers and announces itself to all every five seconds', async (t) => {
  const { hub, pass, nodes } = await many(t, 30)
  const bus = localBus(hub)
  let [announcements, beats] = [0, 0]
  bus.hear('alive', () => announcements++)
  bus.hear('beat.*', () => beats++)
  assert.equal(hub.hearing.get('beat.p10')?.size, 11, 'the node itself, its watchers and those that it watches')
  await pass(5_000, ...nodes)
  assert.deepEqual([announcements, beats], [30, 30 * 20])
  await bus.close()
})

test('goes back to heartbeats for all when few nodes are left', async (t) => {
  const { hub, pass, nodes } = await many(t, 24)
  for (const { heartbeat } of nodes.slice(12)) await heartbeat.close()
  const left = nodes.slice(0, 12)
  await pass(1_000, ...left)
  const bus = localBus(hub)
  let [announcements, beats] = [0, 0]
  bus.hear('alive', () => announcements++)
  bus.hear('beat.*', () => beats++)
  await pass(1_000, ...left)
  assert.deepEqual([announcements, beats], [12 * 4, 0])
  for (const one of left) assert.deepEqual([goneAt(one), one.names().length], [[], 11])
  await bus.close()
})

test('suspects the bus when more than half of all nodes are doubted', async (t) => {
  const { dead, pass, nodes } = await many(t, 30)
  const living = nodes.filter((_, index) => index % 3 === 0)
  for (const { heartbeat } of nodes) if (!living.some((one) => one.heartbeat === heartbeat)) dead.add(heartbeat.self)
  await pass(3_000, ...living)
  for (const one of living) assert.deepEqual(goneAt(one), [])
})

test('leaves nodes in doubt out of the living ones', async (t) => {
  const { pass, without, node } = await many(t, 30)
  const living = without(node(7))
  await pass(1_000, ...living)
  for (const one of living) {
    assert.equal(one.heartbeat.others().length, 29, 'its health probe is answered')
    assert.ok(!one.heartbeat.living().some(({ owner }) => owner === 'p07'))
  }
})

test('reports a stall when a watcher has reported this node as gone', async (t) => {
  const { dead, pass, without, node, nodes } = await many(t, 30)
  const stalled = node(7)
  dead.add('p07')
  await pass(1_400, ...without(stalled))
  dead.clear()
  await pass(250, stalled)
  assert.deepEqual(stalled.seen, ['stalled 1000'])
  await pass(1_000, ...nodes)
  for (const one of without(stalled)) assert.ok(one.names().includes('p07'))
})

test('stays in contact by the heartbeats of its watchers', async (t) => {
  const { pass, nodes } = await many(t, 30)
  for (let passed = 0; passed < 12_000; passed += 500) {
    await pass(500, ...nodes)
    for (const { heartbeat, clock } of nodes) assert.ok(heartbeat.contact.heardUntil > clock.elapsed(), heartbeat.self)
  }
})

test('loses contact when a watcher does not hear it, before it counts as gone', async (t) => {
  const { hub, dead, pass, nodes, without, node } = await many(t, 30)
  const mute = node(7)
  // Its neighbours no longer receive its heartbeats; it receives all of theirs and its own.
  const listeners = hub.hearing.get('beat.p07') ?? assert.fail()
  for (const listener of [...listeners].slice(1)) listeners.delete(listener)
  dead.add('p07')
  let contactEndedAt: number | undefined
  for (let passed = 0; passed < 1_400; passed += 50) {
    await pass(50, ...nodes)
    if (mute.heartbeat.contact.heardUntil <= mute.clock.elapsed()) contactEndedAt ??= mute.clock.elapsed()
  }
  const gone = without(mute).flatMap(({ seen }) => seen.filter((one) => one.startsWith('gone p07')))
  const goneAt = Math.min(...gone.map((one) => Number(one.split(' at ')[1])))
  assert.ok(contactEndedAt !== undefined && contactEndedAt < goneAt, `${contactEndedAt} before ${goneAt}`)
})

test('watches nodes of a release without groups as they send their heartbeats to all', async (t) => {
  const { hub, dead, pass, nodes } = await many(t, 30)
  const bus = localBus(hub)
  const older = { owner: 'older', http: 'older', sip: 'sip:older', version: '0', snapshots: 1, calls: 3, draining: false, everyMs: 250 }
  for (let passed = 0; passed < 2_000; passed += 250) {
    bus.notify('alive', older)
    await pass(250, ...nodes)
  }
  dead.add('older')
  await pass(1_400, ...nodes)
  for (const one of nodes) assert.equal(goneAt(one).length, 1)
  await bus.close()
})
