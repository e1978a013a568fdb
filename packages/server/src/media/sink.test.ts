import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gate, tee, type Sink } from './sink.ts'

const collect = (): Sink & { samples: number[] } => {
  const samples: number[] = []
  return { rate: 8000, samples, write: (pcm) => void samples.push(...pcm) }
}

test('a tee gives every frame to all, in the order they were named', () => {
  const first = collect()
  const second = collect()
  const both = tee(first, second)
  both.write(Int16Array.of(1, 2))
  both.write(Int16Array.of(3))
  assert.deepEqual(first.samples, [1, 2, 3])
  assert.deepEqual(second.samples, [1, 2, 3])
  assert.equal(both.rate, 8000)
})

test('a gate lets through while it is open; what is behind another branch still hears', () => {
  let muted = false
  const recorder = collect()
  const recogniser = collect()
  const heard = tee(
    recorder,
    gate(() => !muted, recogniser),
  )
  heard.write(Int16Array.of(1))
  muted = true
  heard.write(Int16Array.of(2))
  muted = false
  heard.write(Int16Array.of(3))
  assert.deepEqual(recorder.samples, [1, 2, 3])
  assert.deepEqual(recogniser.samples, [1, 3])
})
