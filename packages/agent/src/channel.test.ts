import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Channel, type Message, type Port } from './channel.ts'

interface Left {
  greet(name: string): Promise<string>
}
interface Right {
  count(upTo: number): Promise<number[]>
  fail(): Promise<never>
}

/** Two connected ports with the message order of threads. */
const ends = (): [Port, Port] => {
  const takers: ((message: Message) => void)[] = []
  const end = (own: number, other: number): Port => ({
    post: (message) => queueMicrotask(() => takers[other]?.(structuredClone(message))),
    listen: (take) => (takers[own] = take),
  })
  return [end(0, 1), end(1, 0)]
}

test('both sides ask and answer with independent ids', async () => {
  const [a, b] = ends()
  const left = new Channel<Left, Right>(a, { greet: async (name) => `Hello ${name}` })
  const right = new Channel<Right, Left>(b, {
    count: async (upTo) => Array.from({ length: upTo }, (_, index) => index + 1),
    fail: () => Promise.reject(new Error('not today')),
  })
  assert.deepEqual(await Promise.all([left.ask('count', 3), right.ask('greet', 'Ann'), left.ask('count', 1)]), [
    [1, 2, 3],
    'Hello Ann',
    [1],
  ])
  await assert.rejects(left.ask('fail'), /not today/)
})

test('rejects unknown methods, including inherited names', async () => {
  const [a, b] = ends()
  const left = new Channel<Left, { toString(): Promise<string>; nothing(): Promise<void> }>(a, { greet: async () => '' })
  const right = new Channel<Right, Left>(b, { count: async () => [], fail: () => Promise.reject(new Error('')) })
  await assert.rejects(left.ask('nothing'), /nothing is not known here/)
  await assert.rejects(left.ask('toString'), /toString is not known here/)
  assert.equal(await right.ask('greet', ''), '')
})

test('rejects pending and new requests after the other side is gone', async () => {
  const [a] = ends()
  const left = new Channel<Left, Right>(a, { greet: async () => '' })
  const waiting = left.ask('count', 1)
  left.broke('the agent has ended')
  await assert.rejects(waiting, /the agent has ended/)
  await assert.rejects(left.ask('count', 1), /the agent has ended/)
})
