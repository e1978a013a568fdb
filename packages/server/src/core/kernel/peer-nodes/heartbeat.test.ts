import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localBus } from '#adapters/bus/local-bus.ts'
import { house } from '#test/cluster/heartbeats.ts'
import type { Bus } from '../ports/platform.ts'

test('discovers peers on start and removes them on leave', async (t) => {
  const { join, pass } = house(t)
  const [a, b, c] = [join('a'), join('b'), join('c')]
  await pass(50, a, b, c) // discovery does not wait for the next heartbeat
  assert.deepEqual(
    [a.names(), b.names(), c.names()],
    [
      ['b', 'c'],
      ['a', 'c'],
      ['a', 'b'],
    ],
  )
  let changes = 0
  b.heartbeat.onChange(() => changes++)
  await a.heartbeat.close()
  await pass(3_000, b, c)
  assert.deepEqual([b.names(), c.names()], [['c'], ['b']])
  assert.deepEqual([b.seen, c.seen, changes], [[], [], 1])
})

test('reports a silent peer without a health answer as gone within 1.4 s', async (t) => {
  const { dead, join, pass } = house(t)
  const [a, b, c] = [join('a'), join('b'), join('c')]
  await pass(3_000, a, b, c)
  dead.add('a')
  await pass(1_400, b, c)
  for (const process of [b, c]) {
    assert.deepEqual(process.seen, ['gone a at 3950'])
    assert.ok(!process.names().includes('a'))
  }
})

test('reports the other of two nodes as gone', async (t) => {
  const { dead, join, pass } = house(t)
  const [a, b] = [join('a'), join('b')]
  await pass(3_000, a, b)
  dead.add('a')
  await pass(1_400, b)
  assert.deepEqual(b.seen, ['gone a at 3950'])
})

test('keeps a silent peer that answers its health probe', async (t) => {
  const { dead, join, pass } = house(t)
  const [a, b, c] = [join('a'), join('b'), join('c')]
  await pass(3_000, a, b, c)
  await pass(60_000, b, c)
  assert.deepEqual([b.seen, b.names()], [[], ['a', 'c']])
  dead.add('a')
  await pass(1_400, b, c)
  assert.deepEqual(b.seen, ['gone a at 63750'])
})

test('suspects the bus when more than half are silent, and abandons the peers later', async (t) => {
  const { dead, join, pass } = house(t)
  const [a, b, c] = [join('a'), join('b'), join('c')]
  await pass(3_000, a, b, c)
  dead.add('a').add('b')
  await pass(10_000, c)
  assert.deepEqual([c.seen, c.names()], [[], ['a', 'b']])
  await pass(6_000, c)
  assert.deepEqual([c.seen, c.names()], [[], []])
})

test('judges no peer after its own stall, and reports the stall', async (t) => {
  const { dead, join, pass } = house(t)
  const [a, b, c] = [join('a'), join('b'), join('c')]
  await pass(3_000, a, b, c)
  for (const name of ['a', 'b']) dead.add(name) // probes from c would fail now
  const late: boolean[] = [c.heartbeat.late()]
  c.clock.after(1, () => late.push(c.heartbeat.late())) // runs before the heartbeat notices the stall
  await c.clock.jump(4_000)
  late.push(c.heartbeat.late())
  assert.deepEqual(late, [false, true, false])
  await pass(900, c)
  assert.match(c.seen.join(), /^stalled 3\d{3}$/)
  dead.clear()
  await pass(5_000, a, b, c)
  assert.equal(c.seen.length, 1)
  assert.deepEqual(c.names(), ['a', 'b'])
})

test('rediscovers a peer that was given up', async (t) => {
  const { dead, join, pass } = house(t)
  const [a, b, c] = [join('a'), join('b'), join('c')]
  await pass(3_000, a, b, c)
  dead.add('a')
  await pass(2_000, b, c)
  assert.deepEqual(b.names(), ['c'])
  dead.clear()
  await a.clock.jump(2_000)
  await pass(2_000, a, b, c)
  assert.deepEqual(
    [a.names(), b.names()],
    [
      ['b', 'c'],
      ['a', 'c'],
    ],
  )
  assert.equal(a.seen.length, 1)
})

test('judges no peer while the bus is down and shortly after it reconnects', async (t) => {
  const { hub, dead, join, pass } = house(t)
  const inner = localBus(hub)
  let changed: (connected: boolean) => void = () => {}
  let connected = true
  const bus: Bus = {
    ...ported(inner),
    get connected() {
      return connected
    },
    hear: (subject, hearing) => inner.hear(subject, (body, about) => connected && hearing(body, about)),
    onConnection(notifications) {
      changed = notifications
      return () => {}
    },
  }
  const [a, b, c] = [join('a'), join('b'), join('c', bus)]
  await pass(3_000, a, b, c)
  connected = false
  dead.add('a').add('b')
  await pass(5_000, c)
  connected = true
  changed(true)
  await pass(900, c)
  assert.deepEqual([c.seen, c.names()], [[], ['a', 'b']])
})

test('never reports a peer as gone whose address has never answered', async (t) => {
  const { dead, join, pass } = house(t)
  dead.add('a')
  const [a, b, c] = [join('a'), join('b'), join('c')]
  await pass(12_000, a, b, c)
  assert.deepEqual(b.seen, ['unreachable a'])
  await pass(14_000, b, c)
  assert.deepEqual(b.names(), ['a', 'c'])
  await pass(2_000, b, c)
  assert.deepEqual([b.seen, b.names()], [['unreachable a'], ['c']])
})

test('has no timers and sends no heartbeat on a local bus', async (t) => {
  const { join } = house(t)
  const alone = localBus()
  let said = 0
  alone.hear('alive', () => said++)
  const process = join('a', alone)
  assert.deepEqual([process.clock.pending(), said, process.names()], [0, 0, []])
})

const ported = (bus: Bus): Bus => ({
  answer: (subject, answering) => bus.answer(subject, answering),
  ask: (subject, body, asking) => bus.ask(subject, body, asking),
  askAll: (subject, body, asking) => bus.askAll(subject, body, asking),
  notify: (subject, body) => bus.notify(subject, body),
  hear: (subject, hearing) => bus.hear(subject, hearing),
  connected: true,
  alone: bus.alone,
  onConnection: (changed) => bus.onConnection(changed),
  close: () => bus.close(),
})
