import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { ServiceManager, watchdogMs } from './service-manager.ts'

const answering = (): Promise<void> => Promise.resolve()

test('sends heartbeats twice per watchdog interval, with the number of calls', async () => {
  const clock = new VirtualClock()
  const notified: string[] = []
  let calls = 0
  const manager = new ServiceManager({
    notify: (text) => notified.push(text) > 0,
    clock,
    watchdogMs: 10_000,
    calls: () => calls,
    answers: answering,
  })
  manager.ready()
  await clock.advance(4_999)
  assert.deepEqual(notified, ['STATUS=0 calls\nREADY=1\n', 'STATUS=0 calls\nWATCHDOG=1\n'])
  calls = 1
  await clock.advance(1)
  assert.deepEqual(notified.slice(2), ['STATUS=1 call\nWATCHDOG=1\n'])
  manager.stopping(600_000)
  manager.stopping(600_000)
  await clock.advance(5_000)
  assert.deepEqual(notified.slice(3), [
    'STATUS=ends after 1 call\nSTOPPING=1\nEXTEND_TIMEOUT_USEC=660000000\n',
    'STATUS=ends after 1 call\nWATCHDOG=1\n',
  ])
})

test('sends no heartbeat while a media thread is stuck', async () => {
  const clock = new VirtualClock()
  const notified: string[] = []
  let thread = answering()
  const manager = new ServiceManager({
    notify: (text) => notified.push(text) > 0,
    clock,
    watchdogMs: 10_000,
    calls: () => 0,
    answers: () => thread,
  })
  manager.ready()
  await clock.advance(0)
  const before = notified.length
  thread = new Promise(() => {})
  await clock.advance(60_000)
  assert.equal(notified.length, before)
})

test('resends a notification that was not accepted; without a watchdog it only sends the number of calls', async () => {
  const clock = new VirtualClock()
  const notified: string[] = []
  let full = true
  const notify = (text: string): boolean => !full && notified.push(text) > 0
  const manager = new ServiceManager({ notify, clock, watchdogMs: undefined, calls: () => 2, answers: answering })
  manager.ready()
  await clock.advance(0)
  full = false
  await clock.advance(10_000)
  assert.deepEqual(notified, ['STATUS=2 calls\nREADY=1\n', 'STATUS=2 calls\n'])
})

test('ignores the watchdog of another process', () => {
  assert.equal(watchdogMs({ WATCHDOG_USEC: '30000000' }, 7), 30_000)
  assert.equal(watchdogMs({ WATCHDOG_USEC: '30000000', WATCHDOG_PID: '7' }, 7), 30_000)
  assert.equal(watchdogMs({ WATCHDOG_USEC: '30000000', WATCHDOG_PID: '8' }, 7), undefined)
  assert.equal(watchdogMs({ WATCHDOG_USEC: '0' }, 7), undefined)
  assert.equal(watchdogMs({}, 7), undefined)
})
