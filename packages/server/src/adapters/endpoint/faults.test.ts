// test: chance
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import {
  eventMaker,
  openTestEndpoints,
  advanceUntil,
  startCustomer,
  until,
  waiting,
  watcher,
  type Received,
} from '#test/http/customer-endpoint.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import { EndpointUnavailable, type EndpointReply, type EndpointChannel, type OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound.ts'
import { outboundHttp } from '../outbound-http.ts'

const sessions = 200
const eventsEach = 49 // and session_end
const key = (session: string) => `key of ${session}`
const sessionOf = ({ path }: Received) => path.slice(1)
const sequenceOf = ({ headers }: Received) => Number(headers['x-offhook-sequence'])

/** 0 to 1, the same in every run. */
const chance = (...of: unknown[]): number => createHash('md5').update(of.join(' ')).digest().readUInt32BE() / 2 ** 32

/** 200 MB, of which only the first few kilobytes ever exist. */
const bomb = Buffer.concat(Array.from<Buffer>({ length: 200 }).fill(gzipSync(Buffer.alloc(1_000_000))))
const megabyte = Buffer.alloc(1_000_000, ' ')

type Fault = (response: ServerResponse, session: string, elsewhere: string) => unknown

const faults: Record<string, Fault> = {
  '500': (response) => response.writeHead(500).end(),
  '503': (response) => response.writeHead(503).end(),
  '429': (response) => response.writeHead(429, { 'retry-after': '0' }).end(),
  '400': (response) => response.writeHead(400).end(),
  silence: () => {},
  reset: (response) => response.socket?.resetAndDestroy(),
  drip: (response) => response.writeHead(200, { 'content-length': '1000' }).write('['),
  redirect: (response, session, elsewhere) => response.writeHead(307, { location: `http://${elsewhere}/${session}` }).end(),
  garbage: (response) => response.end('<html>\u0000</html>'),
  bomb: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  flood: (response) => {
    const pour = (): void => {
      while (response.writable && response.write(megabyte));
      response.once('drain', pour)
    }
    pour()
  },
  'another session': (response) => response.end(JSON.stringify({ type: 'hangup', session_id: 'another' })),
  'no such action': (response) => response.end(JSON.stringify([{ type: 'dance' }, { type: 'speak' }])),
}

/** Rarer faults, and none at the end of a session, which has 15 seconds: they take time. */
const slow = ['silence', 'drip', 'flood']

/** Faults that the customer never finishes. */
const isEndless = (fault: Fault | undefined): boolean => fault === faults['silence'] || fault === faults['drip']

/** About 30 % of all requests. */
const faultOf = (event: string, attempt: number): Fault | undefined => {
  if (chance('faulty', event, attempt) > 0.32) return undefined
  const name = Object.keys(faults)[Math.floor(chance('fault', event, attempt) * Object.keys(faults).length)] ?? ''
  const isTooSlow = slow.includes(name) && (event.endsWith(`-${eventsEach + 1}`) || chance('slow', event, attempt) > 0.1)
  return isTooSlow ? undefined : faults[name]
}

/**
 * Time stands still during a request that ends by itself, and advances when all requests wait for it: however slow the machine is, only
 * requests that the customer never finishes exceed a deadline.
 */
const openPatiently = async (t: TestContext) => {
  const underWay = new Set<unknown>()
  /** Active requests that only time can end. */
  const stuck = new Set<unknown>()
  const clock = new VirtualClock(undefined, () => until(() => underWay.size === stuck.size))
  const door = outboundHttp({ allow: ['127.0.0.1'], clock })
  const counted: OutboundHttp['request'] = (wanted) => {
    const event = wanted.headers?.['x-event-id']
    underWay.add(event)
    return door.request(wanted).finally(() => {
      underWay.delete(event)
      stuck.delete(event)
    })
  }
  const opened = await openTestEndpoints(t, { clock, outbound: { request: counted, close: () => door.close() } })
  return { ...opened, clock, stuck }
}

test('an endpoint with every fault: no event is lost, overtaken, or sent to another endpoint', async (t) => {
  const elsewhere = await startCustomer(t)
  const attempts = new Map<string, number>()
  const customer = await startCustomer(t, (received, response) => {
    const session = sessionOf(received)
    const event = String(received.headers['x-event-id'])
    const attempt = (attempts.get(event) ?? 0) + 1
    attempts.set(event, attempt)
    const fault = faultOf(event, attempt)
    if (isEndless(fault)) stuck.add(event)
    if (fault) fault(response, session, elsewhere.address)
    else response.end(JSON.stringify({ type: 'speak', session_id: session, text: event }))
  })
  const { endpoints, vault, store, errors, clock, stuck } = await openPatiently(t)
  const outcomes = new Map<string, 'answered' | 'unavailable' | 'left'>()
  const lateAnswers = new Set<string>()

  const runSession = async (session: string): Promise<void> => {
    const webhookUrl = `http://${customer.address}/${session}`
    const timeouts = { attemptMs: 800, totalMs: 5_000 }
    const flow: Flow = { id: session, name: '', settings: { webhookUrl, apiKey: vault.seal(key(session)), timeouts } }
    const accountId = `account of ${session}`
    const next = eventMaker(accountId, session)
    const seen = { ...watcher(), repliedLate: ({ id }: OutgoingEvent) => void lateAnswers.add(id) }
    const channel = endpoints.open(flow, { id: session, accountId }, seen)
    for (let i = 0; i < eventsEach; i++) {
      const event = next(i === 0 ? 'session_start' : 'user_speak', i)
      outcomes.set(event.id, await notify(channel, event))
    }
    const end = next('session_end', eventsEach)
    for (let attempt = 1; ; attempt++) {
      const notified = await endpoints.deliver(flow, end, { attempt, last: attempt === 10 }).catch((error: unknown) => error)
      if (notified === undefined) break
      assert.ok(notified instanceof EndpointUnavailable && attempt < 10)
    }
    await endpoints.flush() // the log's buffer is limited
  }

  /** Every tenth time the caller speaks again while the answer is awaited. */
  const notify = async (channel: EndpointChannel, event: OutgoingEvent) => {
    const isFenced = event.sequence % 10 === 0
    const reason = new Error('the caller spoke again')
    let answer: EndpointReply
    try {
      answer = await channel.send(event, isFenced ? AbortSignal.abort(reason) : waiting)
    } catch (error) {
      assert.ok(error === reason ? isFenced : error instanceof EndpointUnavailable, String(error))
      return error === reason ? 'left' : 'unavailable'
    }
    for (const action of answer.actions) assert.equal((action as { text?: string }).text, event.id, 'an answer to another event')
    return 'answered'
  }

  const names = Array.from({ length: sessions }, (_, at) => `session-${at}`)
  const left = [...names]
  const runAll = async (): Promise<void> => {
    for (let name = left.pop(); name !== undefined; name = left.pop()) await runSession(name)
  }
  await advanceUntil(clock, Promise.all(Array.from({ length: 50 }, runAll)), 100)
  assert.deepEqual(errors, [])
  assert.equal(elsewhere.received.length, 0, 'a redirect was followed')
  assert.equal(outcomes.size, sessions * eventsEach)
  const answered = [...outcomes.values()].filter((outcome) => outcome === 'answered').length
  assert.ok(answered > outcomes.size / 2, `only ${answered} answered`)
  assert.ok(lateAnswers.size > 100)
  assertReceived(customer.received, outcomes)
  await endpoints.flush()
  for (const name of names) assertLog(await store.read.deliveries.list(`account of ${name}`, name, { limit: 1_000 }), outcomes)
})

const assertReceived = (received: readonly Received[], outcomes: ReadonlyMap<string, string>): void => {
  const bodies = new Map<string, string>()
  const latest = new Map<string, number>()
  for (const one of received) {
    const session = sessionOf(one)
    const id = String(one.headers['x-event-id'])
    assert.equal(one.headers['x-api-key'], key(session), 'the key of another flow')
    assert.equal(bodies.get(id) ?? one.body, one.body, 'not the same body in every attempt')
    const isNew = !bodies.has(id)
    bodies.set(id, one.body)
    // An attempt that was given up, or left, may be read after the next event: it came over another connection.
    if (!isNew || (outcomes.get(id) ?? 'answered') !== 'answered') continue
    assert.ok(sequenceOf(one) >= (latest.get(session) ?? 0), `${id} came after ${latest.get(session)}`)
    latest.set(session, sequenceOf(one))
  }
  // Answered events, and those left on the wire, have arrived; for the rest the session was notified that they may not have.
  for (const [id, outcome] of outcomes) if (outcome !== 'unavailable') assert.ok(bodies.has(id), `${id} was ${outcome} but never arrived`)
  assert.deepEqual([...new Set(latest.values())], [eventsEach + 1], 'every session was told its end, last of all')
}

interface Row {
  eventId: string
  eventType: string
  state: string
}

/** The log, latest first, matches the events. */
const assertLog = (rows: readonly Row[], outcomes: ReadonlyMap<string, string>): void => {
  const attempts = Map.groupBy(rows, ({ eventId }) => eventId)
  assert.equal(attempts.size, eventsEach + 1, 'an event without an entry')
  for (const [eventId, [last]] of attempts) {
    const outcome = outcomes.get(eventId)
    if (last?.eventType === 'session_end') assert.equal(last.state, 'delivered')
    if (outcome === 'unavailable') assert.equal(last?.state, 'failed', eventId)
    if (outcome === 'left') assert.ok(last?.state === 'superseded', eventId)
  }
}

test('a slow endpoint of one account does not delay another’s', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const slow = await startCustomer(t, async (_, response) => {
    await released
    response.end()
  })
  const quick = await startCustomer(t)
  const clock = new VirtualClock() // stands still
  const { endpoints, accountId } = await openTestEndpoints(t, { clock, outbound: outboundHttp({ allow: ['127.0.0.1'], clock }) })
  const send = async (address: string, account: string, session: string): Promise<void> => {
    const flow = { id: session, name: '', settings: { webhookUrl: `http://${address}/` } }
    await endpoints.open(flow, { id: session, accountId: account }, watcher()).send(eventMaker(account, session)('session_start'), waiting)
  }
  const stuck = Array.from({ length: 100 }, (_, at) => send(slow.address, accountId, `slow-${at}`))
  await until(() => slow.received.length === 50)
  await Promise.all(Array.from({ length: 200 }, (_, at) => send(quick.address, 'another', `quick-${at}`)))
  assert.equal(quick.received.length, 200)
  assert.equal(slow.received.length, 50, 'more than its share')
  release()
  await Promise.all(stuck)
  assert.equal(slow.received.length, 100)
})
