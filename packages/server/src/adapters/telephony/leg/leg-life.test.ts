import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LegLife } from './leg-life.ts'

const openLife = (release: () => Promise<void> = async () => {}) => {
  const failures: unknown[] = []
  return { life: new LegLife({ release, onFailure: (error) => failures.push(error) }), failures }
}

test('the first end counts, and resources are released once', async () => {
  let released = 0
  const { life } = openLife(async () => void released++)
  assert.equal(life.pending, true)
  life.answered = true
  assert.equal(life.pending, false)
  assert.equal(life.end({ by: 'peer', cause: 'normal' }), true)
  assert.equal(life.end({ by: 'us', cause: 'failed' }), false)
  assert.deepEqual(await life.ended, { by: 'peer', cause: 'normal' })
  assert.deepEqual([life.over, life.answered, life.pending, released], [true, true, false, 1])
})

test('notifies observers until the end or until they leave', () => {
  const { life } = openLife()
  const notified: string[] = []
  const leave = life.observe({ ringing: () => notified.push('first') })
  life.observe({ ringing: () => notified.push('second') })
  assert.deepEqual([life.isObserved('ringing'), life.isObserved('typed')], [true, false])
  life.notify((observer) => observer.ringing?.())
  leave()
  life.notify((observer) => observer.ringing?.())
  life.end({ by: 'us', cause: 'normal' })
  life.notify((observer) => observer.ringing?.())
  assert.deepEqual(notified, ['first', 'second', 'second'])
})

test('reports a throwing observer and a failing release, and continues', async () => {
  const { life, failures } = openLife(() => Promise.reject(new Error('release')))
  const notified: string[] = []
  life.observe({
    ringing: () => {
      throw new Error('observer')
    },
  })
  life.observe({ ringing: () => notified.push('next') })
  life.notify((observer) => observer.ringing?.())
  life.end({ by: 'us', cause: 'normal' })
  await life.ended
  await Promise.resolve()
  assert.deepEqual(notified, ['next'])
  assert.deepEqual(
    failures.map((error) => (error as Error).message),
    ['observer', 'release'],
  )
})
