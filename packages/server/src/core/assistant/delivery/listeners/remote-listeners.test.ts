import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { LocalHub } from '#adapters/bus/local-bus.ts'
import { FaultyBus } from '#test/service/faulty-bus.ts'
import { OutboundFailure, type OutboundRequest } from '#core/kernel/ports/outbound.ts'
import { Listeners, RemoteListeners } from './remote-listeners.ts'
import { Relay } from './relay.ts'

const [account, flow] = ['1000000', 'flow-1']

const request: OutboundRequest = {
  method: 'POST',
  url: 'listener:1',
  headers: { 'webhook-id': 'e1', 'webhook-signature': 'v1,x' },
  body: '{"type":"user_speak","text":"grüß"}',
  deadlineMs: 5_000,
  maxBytes: 100,
}

const failure = (kind: OutboundFailure['kind'], message?: string) => (error: unknown) =>
  error instanceof OutboundFailure && error.kind === kind && (message === undefined || error.message === message)

/** Processes on one bus, with a short delay and in order. */
const newInstallation = () => {
  const clock = new VirtualClock()
  const hub = new LocalHub()
  const errors: unknown[] = []
  const newProcess = (name: string, aheadMs = 0) => {
    const itsClock = {
      now: () => clock.now() + aheadMs,
      elapsed: () => clock.elapsed(),
      after: (ms: number, task: () => void) => clock.after(ms, task),
    }
    const bus = new FaultyBus(hub)
    const others = new RemoteListeners({ bus, self: name, clock: itsClock, onError: (error) => errors.push(error) })
    const listeners = new Listeners(others)
    const breaks = (): void => {
      bus.become('cut')
      bus.become('well')
    }
    return { listeners, of: () => listeners.of(account, flow), bus, breaks, close: () => others.close() }
  }
  return { clock, errors, newProcess }
}

type Process = ReturnType<ReturnType<typeof newInstallation>['newProcess']>

/** Connects a listener to a process. */
const connect = (clock: VirtualClock, { listeners }: Process, id: string, to?: string) => {
  const received: { id: string; headers: object; body: string; deadlineMs: number }[] = []
  const closed: number[] = []
  const connection = {
    send(text: string, sent: () => void) {
      received.push(JSON.parse(text))
      sent()
    },
    waiting: () => 0,
    close: (code: number) => void closed.push(code),
  }
  const relay = new Relay({ id, to, clock, connection })
  const leave = listeners.add(account, flow, relay)
  const goes = (): void => {
    leave()
    relay.broke()
  }
  const answers = (frame: object): void => relay.said(JSON.stringify({ type: 'reply', status: 200, headers: {}, body: '', ...frame }))
  return { received, closed, relay, leave, goes, answers }
}

const settled = (clock: VirtualClock): Promise<void> => clock.advance(0)

test('sends a request to a listener in another process unchanged and returns its reply', async () => {
  const { clock, errors, newProcess } = newInstallation()
  const [a, b] = [newProcess('a'), newProcess('b')]
  const listener = connect(clock, b, 'l1', 'http://localhost:3000')
  await settled(clock)
  const far = a.of() ?? assert.fail()
  assert.deepEqual([far.id, far.to, far.over], ['l1', 'http://localhost:3000', false])
  let wired = 0
  const [first, second, large, refused] = [{ onWire: () => wired++ }, {}, {}, {}].map((more) => far.request({ ...request, ...more }))
  await settled(clock)
  assert.equal(wired, 1)
  const { headers, body, deadlineMs } = request
  assert.deepEqual(listener.received[0], { type: 'request', id: '1', headers, body, deadlineMs })
  listener.answers({ id: '2', body: Buffer.from([0xff, 0]).toString('base64'), base64: true })
  listener.answers({ id: '1', status: 404, headers: { 'Retry-After': '7' }, body: 'grüß' })
  listener.answers({ id: '3', status: 201, body: 'x'.repeat(101) })
  listener.relay.said(JSON.stringify({ type: 'failure', id: '4', kind: 'connect', message: 'nobody is there' }))
  assert.deepEqual(await first, { status: 404, headers: { 'retry-after': '7' }, body: Buffer.from('grüß') })
  assert.deepEqual((await second)?.body, Buffer.from([0xff, 0]))
  await assert.rejects(large ?? assert.fail(), (error) => failure('too_large')(error) && (error as OutboundFailure).status === 201)
  await assert.rejects(refused ?? assert.fail(), failure('connect', 'nobody is there'))
  assert.equal(far.over, false)
  listener.goes()
  await settled(clock)
  assert.deepEqual([a.of(), clock.pending(), errors], [undefined, 0, []])
})

test('prefers the newest listener of all processes despite clock skew, and closes the other', async () => {
  const { clock, newProcess } = newInstallation()
  const [a, b, c] = [newProcess('a'), newProcess('b', -60_000), newProcess('c', 60_000)]
  const first = connect(clock, a, 'first')
  await settled(clock)
  const waits = assert.rejects((c.of() ?? assert.fail()).request(request), failure('broken'))
  const second = connect(clock, b, 'second')
  await settled(clock)
  await waits
  assert.deepEqual([first.closed, second.closed], [[4001], []])
  assert.deepEqual([a.of()?.id, b.of(), c.of()?.id], ['second', second.relay, 'second'])
  first.goes()
  await settled(clock)
  assert.equal(c.of()?.id, 'second', 'one that was replaced takes nobody with it')
  const third = connect(clock, b, 'third')
  second.goes()
  await settled(clock)
  assert.deepEqual([a.of()?.id, b.of(), c.of()?.id], ['third', third.relay, 'third'])
  const [here, there] = [connect(clock, a, 'x'), connect(clock, c, 'y')]
  await settled(clock)
  assert.deepEqual([here.closed, there.closed, third.closed], [[4001], [], [4001]], 'at the same moment, one of them')
  assert.deepEqual([a.of()?.id, b.of()?.id, c.of()], ['y', 'y', there.relay])
})

test('fails pending requests immediately when a remote listener disconnects', async () => {
  const { clock, newProcess } = newInstallation()
  const [a, b] = [newProcess('a'), newProcess('b')]
  const listener = connect(clock, b, 'l1')
  await settled(clock)
  const far = a.of() ?? assert.fail()
  const waits = assert.rejects(far.request(request), failure('broken', 'the listener went away before it answered'))
  await settled(clock)
  listener.goes()
  await waits
  assert.deepEqual([far.over, a.of()], [true, undefined])
  await assert.rejects(far.request(request), failure('connect', 'nobody listens any more'))
  const next = connect(clock, b, 'l2')
  await settled(clock)
  const newer = a.of() ?? assert.fail()
  const ended = assert.rejects(newer.request(request), failure('broken'))
  await settled(clock)
  next.relay.end(4007, 'nonsense')
  await ended
  assert.deepEqual([newer.over, a.of()], [true, undefined], 'also before its connection is closed')
  next.leave()
  assert.equal(clock.pending(), 0)
})

test('gives up on a silent process, and waits up to the time limit for a working one', async () => {
  const { clock, newProcess } = newInstallation()
  const [a, b] = [newProcess('a'), newProcess('b')]
  const listener = connect(clock, b, 'l1')
  await settled(clock)
  const far = a.of() ?? assert.fail()
  const slow = far.request(request)
  const late = assert.rejects(slow, failure('timeout', 'the listener did not answer within 5000 ms'))
  await clock.advance(5_000)
  await late
  assert.equal(a.of(), far)
  const dead = assert.rejects(far.request(request), failure('broken'))
  await settled(clock)
  b.bus.become('still')
  await clock.advance(2_900)
  assert.equal(far.over, false)
  await clock.advance(600)
  await dead
  assert.equal(a.of(), undefined)
  b.bus.become('well')
  await clock.advance(5_000)
  assert.equal(a.of()?.id, 'l1', 'it only stood still')
  b.bus.become('still')
  await clock.advance(15_001)
  assert.equal(a.of(), undefined, 'nobody has to ask to find that out')
  listener.leave()
  assert.equal(clock.pending(), 0)
})

test('announces listeners to a process that starts later or was cut off', async () => {
  const { clock, newProcess } = newInstallation()
  const a = newProcess('a')
  const listener = connect(clock, a, 'l1')
  const b = newProcess('b')
  await settled(clock)
  assert.equal(b.of()?.id, 'l1')
  const waits = assert.rejects((b.of() ?? assert.fail()).request(request), failure('broken'))
  b.breaks()
  await waits
  await settled(clock)
  assert.equal(b.of()?.id, 'l1')
  a.bus.become('still')
  const newer = connect(clock, b, 'l2')
  await settled(clock)
  assert.deepEqual([a.of(), listener.closed], [listener.relay, []], 'cut off, both believe in theirs')
  a.bus.become('well')
  a.breaks()
  await settled(clock)
  assert.deepEqual([a.of()?.id, b.of(), listener.closed], ['l2', newer.relay, [4001]])
})

test('stops sending to a slow listener from every process', async () => {
  const { clock, newProcess } = newInstallation()
  const [a, b, c] = [newProcess('a'), newProcess('b'), newProcess('c')]
  const listener = connect(clock, c, 'l1')
  await settled(clock)
  const [one, two] = [a.of() ?? assert.fail(), b.of() ?? assert.fail()]
  const tooMuch = failure('connect', 'the listener does not keep up')
  const ended = Array.from({ length: 64 }, () => assert.rejects(one.request(request), failure('broken')))
  await assert.rejects(one.request(request), tooMuch)
  await settled(clock)
  await assert.rejects(two.request(request), tooMuch)
  assert.equal(two.over, false)
  b.bus.become('cut')
  assert.deepEqual([two.over, b.of()], [true, undefined], 'without the bus nobody else is known')
  listener.goes()
  await Promise.all(ended)
  assert.equal(listener.received.length, 64)
})
