import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { CallLife } from './call-life.ts'
import { endByLeg, serviceFailure, takenOver } from './end.ts'

const open = (stillOurs: () => Promise<boolean> | undefined = () => undefined) => {
  const clock = new VirtualClock()
  const [ends, failures]: [unknown[], unknown[]] = [[], []]
  const life = new CallLife({ id: 'c', clock, stillOurs, onEnd: (end) => ends.push(end), onFailure: (error) => failures.push(error) })
  return { clock, life, ends, failures }
}

test('keeps the first end', async () => {
  const { life, ends } = open()
  assert.equal(life.end, undefined)
  const first = endByLeg('caller', { by: 'peer', cause: 'normal' })
  life.finish(first)
  life.finish(serviceFailure)
  assert.equal(await life.over, first)
  assert.equal(life.end, first)
  assert.deepEqual(ends, [first])
})

test('ends later only once, and as taken over if another node owns the call', async () => {
  const { clock, life, ends } = open(() => Promise.resolve(false))
  life.endIn(1_000, serviceFailure)
  life.endIn(2_000, serviceFailure)
  await clock.advance(1_500)
  assert.deepEqual(ends, [])
  await clock.advance(1_000)
  assert.deepEqual(ends, [takenOver])
})

test('reports what fails, and ends the call if its parties depend on it', () => {
  const { life, failures } = open()
  const broken = (): never => {
    throw new Error('broken')
  }
  life.attempt(broken)
  assert.equal(life.end, undefined)
  assert.equal(life.must(broken), undefined)
  assert.equal(life.end, serviceFailure)
  assert.equal(failures.length, 2)
})
