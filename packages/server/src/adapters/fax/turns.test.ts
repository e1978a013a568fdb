import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from './turns.ts'

/** Work that ends on request, and the started work, in order. */
const openTurns = (concurrency: number) => {
  const turns = new Turns(concurrency)
  const begun: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const take = (name: string) =>
    turns.take(name.charAt(0), () => {
      begun.push(name)
      return new Promise<void>((resolve, reject) => ends.set(name, (error) => (error ? reject(error) : resolve())))
    })
  const end = async (name: string, error?: Error) => {
    ends.get(name)?.(error)
    await new Promise(setImmediate)
  }
  return { begun, take, end }
}

test('runs one job of an account at a time, so that it cannot block others', async () => {
  const { begun, take, end } = openTurns(2)
  const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) => take(name).catch((error: Error) => error.message))
  assert.deepEqual(begun, ['a1', 'b1'])
  await end('b1')
  assert.deepEqual(begun, ['a1', 'b1', 'c1'])
  await end('a1', new Error('broken'))
  assert.deepEqual(begun, ['a1', 'b1', 'c1', 'a2'])
  for (const name of ['a2', 'c1', 'b2', 'a3']) await end(name)
  assert.deepEqual(begun, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  assert.deepEqual(await Promise.all(all), ['broken', ...Array.from({ length: 5 }, () => undefined)])
})

test('limits the queue, and half of it per account', async () => {
  const { begun, take, end } = openTurns(1)
  const taken = [...Array.from({ length: 17 }, (_, index) => `a${index}`), ...Array.from({ length: 16 }, (_, index) => `b${index}`)]
  const work = taken.slice(0, 17).map(take)
  await assert.rejects(take('a-more'), { code: 'unavailable' })
  work.push(...taken.slice(17).map(take))
  await assert.rejects(take('c'), { code: 'unavailable' })
  for (let nth = 0; nth < taken.length; nth++) await end(begun.at(-1) ?? '')
  await Promise.all(work)
})
