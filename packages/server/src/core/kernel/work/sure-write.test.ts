import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test, type TestContext } from 'node:test'
import { openTestStore } from '#test/store/databases.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { Store } from '../ports/store/index.ts'
import { writeWithRetry, type RecordWriter } from './write-with-retry.ts'
import { Tasks } from './worker.ts'

const openBooks = async (t: TestContext, failures: number) => {
  const store = await openTestStore(t, 'sqlite')
  let left = failures
  const brittle: Store = { ...store, write: (work) => (left-- > 0 ? Promise.reject(new Error('away')) : store.write(work)) }
  const clock = new VirtualClock()
  const closing = new AbortController()
  const notified: unknown[] = []
  const books: RecordWriter = {
    store: brittle,
    clock,
    tasks: new Tasks(),
    closing: closing.signal,
    onFailure: (error) => notified.push(error),
  }
  return { books, clock, closing, told: notified }
}

test('retries a failed write and leaves no listeners or timers behind', async (t) => {
  const { books, clock, told: notified } = await openBooks(t, 4)
  const writing = writeWithRetry(books, 'call', () => Promise.resolve())
  assert.equal(getEventListeners(books.closing, 'abort').length, 0)
  await clock.advance(60_000)
  await writing
  assert.equal(notified.length, 4)
  assert.equal(getEventListeners(books.closing, 'abort').length, 0)
  assert.equal(clock.pending(), 0)
})

test('rejects after the last retry, and immediately when the service closes', async (t) => {
  const patient = await openBooks(t, Infinity)
  const writing = assert.rejects(
    writeWithRetry(patient.books, 'call', () => Promise.resolve()),
    /away/,
  )
  await patient.clock.advance(60_000)
  await writing
  const hurried = await openBooks(t, Infinity)
  hurried.closing.abort()
  await assert.rejects(
    writeWithRetry(hurried.books, 'call', () => Promise.resolve()),
    /away/,
  )
})
