import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { freshPostgres } from '../support/databases.ts'
import { needs } from '../support/peers/debian.ts'
import { startExchange, type Exchange } from '../support/peers/exchange.ts'
import { freePorts } from '../support/peers/free-ports.ts'
import { until } from '../support/peers/peer-process.ts'
import { assertSucceeded, startSipp, type Sipp, type SippOptions } from '../support/peers/sipp.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const timeout = 90_000

const carrier = '127.0.0.2'
const outside = '+498912345678'
/** The carrier wants to know who hangs up. */
const login = { username: 'account7', password: 'Sesam', realm: 'carrier.example' }
/** 0.01 each second. */
const perSecond = 100
const wealth = 1_000_000

type Fields = Record<string, string>

/** The account's own software: wants to hear of every call, and of how it ends. */
const startSoftware = async (t: TestContext): Promise<{ url: string; address: string; received: Fields[] }> => {
  const received: Fields[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (part: string) => (body += part))
    request.on('end', () => {
      const fields: Fields = Object.fromEntries(new URLSearchParams(body))
      received.push(fields)
      const told = `onAnswer="${url}" onHangup="${url}"`
      response.writeHead(200, { 'content-type': 'application/xml' }).end(fields.event === 'newCall' ? `<Response ${told}/>` : '')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const url = `http://${address}/`
  return { url, address, received }
}

/** Half of the calls come in and ring at a phone, the other half goes out and costs money; all are established when it resolves. */
const establish = async (t: TestContext, exchange: Exchange, each: number, network: string): Promise<[Sipp, SippOptions][]> => {
  const patient = { calls: each, limitMs: 40_000, more: ['-recv_timeout', '40000'] }
  const listen = async (options: SippOptions): Promise<[Sipp, SippOptions]> => [await startSipp(t, options), options]
  const phone = await listen({ ...patient, scenario: 'uas' })
  const far = await listen({ ...patient, scenario: network, address: carrier })
  await exchange.newTrunk(carrier, { port: far[0].port, ...login })
  const many = { ...patient, target: exchange.sip, rate: each, concurrent: each }
  const service = await exchange.numberOf(t, phone[0])
  const callers = await listen({ ...many, scenario: 'uac-bye-by-peer', service, address: carrier })
  const device = await exchange.newDevice()
  const keys = { from: device.user, domain: exchange.sip }
  const more = [...patient.more, '-auth_uri', `${outside}@${exchange.sip}`]
  const desks = await listen({ ...many, scenario: 'phone-call-ended', service: outside, login: device, keys, more })
  await until('all calls', async () => (await exchange.admin.listCalls()).data.length === 2 * each || undefined, 15_000)
  return [phone, far, callers, desks]
}

const prepare = async (exchange: Exchange, software: { url: string }): Promise<void> => {
  const { accountId, operator, admin } = exchange
  const rate = { service: 'CALL', prefix: '4989', ratePerMinute: 60 * perSecond, minSeconds: 1, incrementSeconds: 1 } as const
  await operator.setRate({ tariffId: 'standard' }, rate)
  const { amount } = await operator.readBalance({ accountId })
  await operator.adjustBalance({ accountId }, { amount: wealth - amount, reason: 'test', idempotencyKey: 'test' })
  await operator.bookAccountFeature({ accountId, feature: 'SVCIO' })
  await admin.setSvcio({}, { incomingUrl: software.url, outgoingUrl: software.url })
}

/** Everything that a customer can find out about these calls. */
const findOut = async ({ admin, operator, accountId, userId }: Exchange, { received }: { received: Fields[] }) => {
  const { items } = await admin.listHistory({ userId, limit: 100 })
  const { amount, reserved, items: entries } = await operator.readBalance({ accountId, limit: 100 })
  const told = received.filter(({ event }) => event === 'hangup').map(({ callId, cause }) => `${callId} ${cause}`)
  const charged = entries.filter(({ reason }) => reason === 'call').map(({ sessionId, amount: charge }) => `${sessionId} ${charge}`)
  return { items, amount, reserved, told: told.toSorted(), charged: charged.toSorted() }
}

const assertSettled = (found: Awaited<ReturnType<typeof findOut>>, calls: number, seconds: { least: number; most: number }): void => {
  const { items, amount, reserved, told, charged } = found
  assert.equal(new Set(items.map(({ callId }) => callId)).size, calls)
  assert.equal(items.length, calls, 'one entry for each call')
  for (const { callStatus, duration = 0 } of items) {
    assert.equal(callStatus, 'SUCCESS')
    assert.ok(duration >= seconds.least && duration <= seconds.most, `${duration} s`)
  }
  const outgoing = items.filter(({ direction }) => direction === 'OUTGOING')
  assert.equal(outgoing.length, calls / 2)
  const cost = outgoing.map(({ callId, duration = 0 }) => `${callId} ${-duration * perSecond}`)
  assert.deepEqual(charged, cost.toSorted(), 'each is paid for, once, as long as it lasted')
  assert.equal(amount, wealth - outgoing.reduce((sum, { duration = 0 }) => sum + duration * perSecond, 0))
  assert.equal(reserved, 0)
  assert.deepEqual(told, items.map(({ callId }) => `${callId} congestion`).toSorted(), 'and each end is told once')
}

const kill = async ({ program }: Exchange): Promise<void> => {
  program.child.kill('SIGKILL')
  await program.ended
}

test('a process that is killed', { timeout, concurrency: 2 }, async (t) => {
  if (!(await needs(t, 'sipp'))) return
  const alone = t.test('in the middle of twenty calls: none is lost, none is counted twice, everybody is told', async (t) => {
    const software = await startSoftware(t)
    const sip = `127.0.0.1:${await freePorts(t, 1)}`
    const settings = { OFFHOOK_DATA: await temporaryFolder(t), OFFHOOK_SIP: sip, OFFHOOK_EGRESS_ALLOW: software.address }
    const exchange = await startExchange(t, settings)
    await prepare(exchange, software)
    const begun = performance.now()
    const peers = await establish(t, exchange, 10, 'uas-guarded-bye')
    const talking = performance.now()
    await pause(7_000)
    await kill(exchange)
    const dead = performance.now()

    const next = await startExchange(t, settings)
    const up = performance.now()
    for (const [peer, options] of peers) assertSucceeded(await peer.result(), options)
    assert.ok(performance.now() - up < 10_000, 'soon')
    await until('the last notice', () => software.received.filter(({ event }) => event === 'hangup').length >= 20 || undefined)
    const found = await findOut(next, software)
    assertSettled(found, 20, { least: Math.floor((dead - talking) / 1000 - 5), most: Math.ceil((dead - begun) / 1000) })
    assert.deepEqual((await next.admin.listCalls()).data, [])

    await kill(next)
    const last = await startExchange(t, settings)
    await pause(1_500)
    assert.deepEqual(await findOut(last, software), found, 'and nothing happens again')
  })

  const cluster = t.test('in a cluster: another one ends its calls', async (t) => {
    const software = await startSoftware(t)
    const settings = {
      DATABASE_URL: await freshPostgres(),
      OFFHOOK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      OFFHOOK_EGRESS_ALLOW: software.address,
      OFFHOOK_DATA: await temporaryFolder(t),
    }
    const exchange = await startExchange(t, settings)
    await prepare(exchange, software)
    const begun = performance.now()
    // Sipp answers to where the call came from, so a challenge of its would not arrive.
    const peers = await establish(t, exchange, 3, 'uas')
    const talking = performance.now()
    const other = await startExchange(t, settings)
    await pause(2_000)
    await kill(exchange)
    const dead = performance.now()
    for (const [peer, options] of peers) assertSucceeded(await peer.result(), options)
    assert.ok(performance.now() - dead < 22_000)
    await until('the last notice', () => software.received.filter(({ event }) => event === 'hangup').length >= 6 || undefined)
    const found = await findOut(other, software)
    assertSettled(found, 6, { least: Math.floor((dead - talking) / 1000 - 5), most: Math.ceil((dead - begun) / 1000) })
  })
  await Promise.all([alone, cluster])
})
