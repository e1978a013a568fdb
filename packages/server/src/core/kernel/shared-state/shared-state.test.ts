import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { LocalHub, localBus } from '#adapters/bus/local-bus.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { FaultyBus } from '#test/service/faulty-bus.ts'
import type { PeerNode } from '../ports/platform.ts'
import { SharedState } from './shared-state.ts'

const openProcesses = (t: TestContext) => {
  const clock = new VirtualClock()
  const hub = new LocalHub()
  const there = new Map<string, () => void>()
  const open = (self: string) => {
    const bus = new FaultyBus(hub)
    const news: string[] = []
    let changed = (): void => {}
    const peerNodes = {
      self,
      others: () => [...there.keys()].filter((owner) => owner !== self).map((owner) => ({ owner }) as PeerNode),
      onChange(notify: () => void) {
        changed = notify
        return () => {}
      },
    }
    const state = new SharedState<number>({ bus, peerNodes, clock, kind: 'busy' }, (key) => void news.push(key))
    there.set(self, () => changed())
    for (const notify of there.values()) notify()
    t.after(() => state.close())
    return { state, bus, news }
  }
  const leave = (self: string): void => {
    there.delete(self)
    for (const notify of there.values()) notify()
  }
  return { clock, open, leave }
}

test('replicates state to all nodes, including later ones', async (t) => {
  const { clock, open, leave } = openProcesses(t)
  const [a, b] = [open('a'), open('b')]
  a.state.set('x', 1)
  a.state.set('y', 2)
  a.state.set('x', 3)
  b.state.set('x', 10)
  await clock.advance(0)
  assert.deepEqual([a.state.others('x'), b.state.others('x'), b.state.others('y')], [[10], [3], [2]])
  assert.deepEqual([a.news, b.news], [['x'], ['x', 'y']], 'what happens together is told together')
  const c = open('c')
  await clock.advance(0)
  assert.deepEqual(new Set(c.state.others('x')), new Set([3, 10]))
  a.state.set('x', undefined)
  await clock.advance(0)
  assert.deepEqual([b.state.others('x'), c.state.others('x')], [[], [10]])
  leave('b')
  assert.deepEqual([a.state.others('x'), c.state.others('x'), c.news.at(-1)], [[], [], 'x'])
})

test('resynchronises missed changes on the next change, reminder or reconnect', async (t) => {
  const { clock, open } = openProcesses(t)
  const [a, b] = [open('a'), open('b')]
  a.state.set('x', 1)
  a.state.set('z', 1)
  await clock.advance(0)
  b.bus.become('still')
  a.state.set('x', undefined)
  await clock.advance(0)
  b.bus.become('well')
  assert.deepEqual(b.state.others('x'), [1])
  a.state.set('y', 2)
  await clock.advance(0)
  assert.deepEqual([b.state.others('x'), b.state.others('y'), b.state.others('z')], [[], [2], [1]], 'by the next change')
  b.bus.become('still')
  a.state.set('y', 3)
  await clock.advance(0)
  b.bus.become('well')
  await clock.advance(5_000)
  assert.deepEqual(b.state.others('y'), [3], 'or by the reminder')
  b.bus.become('cut')
  a.state.set('y', 4)
  await clock.advance(0)
  b.bus.become('well')
  await clock.advance(0)
  assert.deepEqual(b.state.others('y'), [4], 'or when the bus is back')
})

test('sends no messages and sets no timers on a local bus', (t) => {
  const clock = new VirtualClock()
  const peerNodes = { self: 'a', others: () => [], onChange: () => () => {} }
  const state = new SharedState<number>({ bus: localBus(), peerNodes, clock, kind: 'busy' })
  t.after(() => state.close())
  state.set('x', 1)
  assert.deepEqual([state.others('x'), clock.pending()], [[], 0])
})
