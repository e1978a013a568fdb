import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { PeerNode } from '../ports/platform.ts'
import { takeOverLost, takersOf } from './takers.ts'

const node = (owner: string, more: Partial<PeerNode> = {}): PeerNode => ({
  owner,
  http: owner,
  sip: `sip:${owner}`,
  version: '1',
  snapshots: 1,
  calls: 0,
  draining: false,
  ...more,
})

const names = (nodes: readonly { owner: string }[]): string => nodes.map(({ owner }) => owner).join('')

test('chooses the neighbours of the lost node, one for five calls and at least eight', () => {
  const living = Array.from('abcdefghijklmnopqrstuvwxyz').map((owner) => node(owner))
  assert.equal(names(takersOf(node('r', { calls: 100 }), living)), 'stuvwxyzabcdefghijkl')
  assert.equal(names(takersOf(node('r', { calls: 1 }), living)), 'stuvwxyz')
  assert.equal(names(takersOf(node('zz', { calls: 1 }), living)), 'abcdefgh')
})

test('chooses nodes of the same region, and others only if none of it accepts calls', () => {
  const living = [node('a', { region: 'fra' }), node('b', { region: 'ams' }), node('c', { region: 'ams' }), node('d')]
  assert.equal(names(takersOf(node('x', { region: 'ams' }), living)), 'bc')
  assert.equal(names(takersOf(node('x'), living)), 'd')
  assert.equal(names(takersOf(node('x', { region: 'lon' }), living)), 'abcd')
  const draining = living.map((one) => (one.region === 'ams' ? { ...one, draining: true } : one))
  assert.equal(names(takersOf(node('x', { region: 'ams' }), draining)), 'ad')
})

const scene = (self: string, all: PeerNode[]) => {
  const clock = new VirtualClock(0)
  const taken: [string, number][] = []
  let gone: (lost: PeerNode) => void = () => {}
  const lost = new Set<string>()
  const stop = takeOverLost({
    clock,
    peerNodes: {
      living: () => all.filter(({ owner }) => owner !== self && !lost.has(owner)),
      onGone(notify) {
        gone = notify
        return () => {}
      },
    },
    self: () => all.find(({ owner }) => owner === self) ?? assert.fail(),
    take: (owner, share) => void taken.push([owner, share]),
  })
  const lose = (...owners: string[]): void => {
    for (const owner of owners) lost.add(owner)
    gone(all.find(({ owner }) => owner === owners[0]) ?? assert.fail())
  }
  return { clock, taken, lost, lose, stop }
}

test('takes its share of the calls at once', () => {
  const { taken, lose, clock, stop } = scene(
    'b',
    Array.from('abc').map((owner) => node(owner, { calls: 9 })),
  )
  lose('a')
  assert.deepEqual(taken, [['a', 5]])
  assert.equal(clock.pending(), 0)
  stop()
})

test('takes the calls of another region when its last node is lost as well', async () => {
  const all = [
    node('a', { region: 'ams', calls: 4 }),
    node('b', { region: 'ams' }),
    node('c', { region: 'fra' }),
    node('d', { region: 'fra' }),
  ]
  const { taken, lose, lost, clock, stop } = scene('c', all)
  lose('a')
  lost.add('b')
  assert.deepEqual(taken, [])
  await clock.advance(1_000)
  assert.deepEqual(taken, [['a', 2]])
  lost.delete('b')
  lose('a')
  await clock.advance(1_000)
  assert.equal(taken.length, 1, 'a node of the region is left')
  lose('a')
  stop()
  assert.equal(clock.pending(), 0)
})
