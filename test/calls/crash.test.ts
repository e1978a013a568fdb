import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { startLoopbackServer } from '#test/http/loopback-server.ts'
import { freshPostgres } from '#test/store/databases.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { startDispatcher } from '#test/peers/kamailio.ts'
import { until } from '#test/machine/peer-process.ts'
import { assertSucceeded, startSipp, type Sipp, type SippOptions } from '#test/peers/sipp.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'

const carrier = '127.0.0.2'
const outside = '+498912345678'
/** The carrier challenges the BYE. */
const login = { username: 'account7', password: 'Sesam', realm: 'carrier.example' }
/** Price of 0.01 per second. */
const perSecond = 100
const wealth = 1_000_000
/** A process writes every five seconds that its calls are alive; a busy one a little later. */
const noticedSeconds = 7
const talkMs = 8_500

type Fields = Record<string, string>

/** Software of the account: subscribes to every call and its end. */
const startSoftware = async (t: TestContext): Promise<{ url: string; address: string; received: Fields[] }> => {
  const received: Fields[] = []
  const address = await startLoopbackServer(t, (request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (part: string) => (body += part))
    request.on('end', () => {
      const fields: Fields = Object.fromEntries(new URLSearchParams(body))
      received.push(fields)
      const notified = `onAnswer="${url}" onHangup="${url}"`
      response.writeHead(200, { 'content-type': 'application/xml' }).end(fields.event === 'newCall' ? `<Response ${notified}/>` : '')
    })
  })
  const url = `http://${address}/`
  return { url, address, received }
}

interface Mix {
  /** Calls from the carrier to a phone. */
  arriving: number
  /** Calls from phones to the carrier, which cost money. */
  leaving: number
  /** Calls from phone to phone. */
  inside: number
}

const sumOf = ({ arriving, leaving, inside }: Mix): number => arriving + leaving + inside

interface Ways {
  /** Scenario of the carrier. */
  network: string
  /** Target of the carrier's calls. Default: the exchange. */
  proxy?: string
}

type Peer = [Sipp, SippOptions]

/** Number of answered calls. */
const answersTo = async (caller: Sipp): Promise<number> => {
  const answers = (await caller.messages()).matchAll(/^SIP\/2\.0 200 (?:[^\r\n]+\r\n)*?CSeq: \d+ INVITE/gm)
  return new Set([...answers].map(([answer]) => /^Call-ID: (.+)$/m.exec(answer)?.[1])).size
}

/** Resolves when all calls are established. */
const establish = async (t: TestContext, exchange: Exchange, mix: Mix, { network, proxy = exchange.sip }: Ways): Promise<Peer[]> => {
  const { arriving, leaving, inside } = mix
  const start = async (calls: number, options: SippOptions): Promise<Peer> => {
    const more = ['-recv_timeout', '90000', ...(options.more ?? [])]
    const patient = { ...options, calls, rate: calls, concurrent: calls, limitMs: 90_000, more }
    return [await startSipp(t, patient), patient]
  }
  const [phone, far] = await Promise.all([
    start(arriving + inside, { scenario: 'uas' }),
    start(leaving, { scenario: network, address: carrier }),
  ])
  await exchange.newTrunk(carrier, { port: far[0].port, ...login })
  const service = await exchange.numberOf(t, phone[0])
  const device = await exchange.newDevice()
  const dials = (called: string): SippOptions => ({
    scenario: 'phone-call-ended',
    target: exchange.sip,
    service: called,
    login: device,
    keys: { from: device.user, domain: exchange.sip },
    more: ['-auth_uri', `${called}@${exchange.sip}`],
  })
  const callers = await Promise.all([
    start(arriving, { scenario: 'uac-bye-by-peer', target: proxy, service, address: carrier }),
    start(leaving, dials(outside)),
    start(inside, dials(service)),
  ])
  await until('all calls', async () => (await exchange.admin.listCalls()).data.length === sumOf(mix) || undefined)
  // A call is listed when answered; its caller learns of it a moment later.
  await Promise.all(
    callers.map(([caller, { calls }]) => until('the answers', async () => (await answersTo(caller)) === calls || undefined)),
  )
  return [phone, far, ...callers]
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

/** All data that a customer can see about these calls. */
const findOut = async ({ admin, operator, accountId, userId }: Exchange, { received }: { received: Fields[] }) => {
  const { items } = await admin.listHistory({ userId, limit: 100 })
  const { amount, reserved, items: entries } = await operator.readBalance({ accountId, limit: 100 })
  const notified = received.filter(({ event }) => event === 'hangup').map(({ callId, cause }) => `${callId} ${cause}`)
  const charged = entries.filter(({ reason }) => reason === 'call').map(({ sessionId, amount: charge }) => `${sessionId} ${charge}`)
  return { items, amount, reserved, told: notified.toSorted(), charged: charged.toSorted() }
}

/** Recording URLs are new in each response, so they are removed. */
const ofLastRun = ({ items, ...found }: Awaited<ReturnType<typeof findOut>>) => ({
  ...found,
  items: items.map(({ recordingUrl: _url, recordings: _recordings, ...item }) => item),
})

interface Truth {
  mix: Mix
  /** Duration of the calls in seconds. */
  seconds: { min: number; most: number }
}

const assertSettled = (found: Awaited<ReturnType<typeof findOut>>, { mix, seconds }: Truth): void => {
  const { items, amount, reserved, told: notified, charged } = found
  assert.equal(new Set(items.map(({ callId }) => callId)).size, sumOf(mix))
  assert.equal(items.length, sumOf(mix), 'one entry for each call')
  for (const { callStatus, duration = 0 } of items) {
    assert.equal(callStatus, 'SUCCESS')
    assert.ok(duration >= seconds.min && duration <= seconds.most, `${duration} s`)
  }
  const paid = items.filter(({ target }) => target === outside)
  assert.equal(paid.length, mix.leaving)
  const cost = paid.map(({ callId, duration = 0 }) => `${callId} ${-duration * perSecond}`)
  assert.deepEqual(charged, cost.toSorted(), 'each is paid for, once, as long as it lasted')
  assert.equal(amount, wealth - paid.reduce((sum, { duration = 0 }) => sum + duration * perSecond, 0))
  assert.equal(reserved, 0)
  assert.equal(new Set(notified).size, notified.length, 'no end is told twice')
  assert.equal(notified.length, sumOf(mix) + mix.inside, 'those inside as calls that go out, and as calls that come in')
  for (const { callId } of items) assert.ok(notified.includes(`${callId} congestion`), 'and each is told')
}

/** Internal calls are reported twice, as outbound and as inbound. */
const allTold = (notified: 'answer' | 'hangup', { received }: { received: Fields[] }, mix: Mix): Promise<true> =>
  until(`all of ${notified}`, () => received.filter(({ event }) => event === notified).length >= sumOf(mix) + mix.inside || undefined)

/** Waits until all deliveries are marked as delivered. */
const noneUnderWay = async (database: string): Promise<void> => {
  const client = new Client({ connectionString: database })
  await client.connect()
  try {
    await until('the outbox', async () => (await client.query(`select 1 from outbox where state = 'PENDING'`)).rowCount === 0 || undefined)
  } finally {
    await client.end()
  }
}

const kill = async ({ program }: Exchange): Promise<void> => {
  program.child.kill('SIGKILL')
  await program.ended
}

/** Checks a recording of a call whose process died. */
const assertPlayable = async (url: string | undefined): Promise<void> => {
  const fetched = await fetch(url ?? assert.fail('no recording'))
  assert.equal(fetched.headers.get('content-type'), 'audio/wav')
  const wav = new DataView(await fetched.arrayBuffer())
  const bytes = wav.getUint32(40, true)
  assert.equal(bytes, wav.byteLength - 44, 'the head tells the truth')
  assert.ok(bytes > 4 * 32_000, `${bytes / 32_000} s`)
}

test('recovers calls of a failed process', { concurrency: 2 }, async (t) => {
  if (!(await needs(t, 'sipp', 'kamailio'))) return
  const killed = t.test('loses no call, counts none twice and reports every end when killed during twenty calls', async (t) => {
    const software = await startSoftware(t)
    const sip = `127.0.0.1:${await freePorts(t, 1)}`
    const settings = { OFFHOOK_DATA: await temporaryFolder(t), OFFHOOK_SIP: sip, OFFHOOK_EGRESS_ALLOW: software.address }
    const exchange = await startExchange(t, settings)
    await prepare(exchange, software)
    const started = performance.now()
    const mix = { arriving: 7, leaving: 7, inside: 6 }
    const peers = await establish(t, exchange, mix, { network: 'uas-guarded-bye' })
    const talking = performance.now()
    const [{ callId } = assert.fail()] = (await exchange.admin.listCalls()).data
    await exchange.admin.recordCall({ callId }, { value: true, announcement: false })
    await pause(talkMs)
    await kill(exchange)
    const dead = performance.now()

    const next = await startExchange(t, settings)
    for (const [peer, options] of peers) assertSucceeded(await peer.result(), options)
    await allTold('hangup', software, mix)
    const found = await findOut(next, software)
    assertSettled(found, {
      mix,
      seconds: { min: Math.floor((dead - talking) / 1000 - noticedSeconds), most: Math.ceil((dead - started) / 1000) },
    })
    assert.deepEqual((await next.admin.listCalls()).data, [])
    await assertPlayable(found.items.find((item) => item.callId === callId)?.recordingUrl)

    await kill(next)
    const last = await startExchange(t, settings)
    await pause(500)
    assert.deepEqual(ofLastRun(await findOut(last, software)), ofLastRun(found), 'and nothing happens again')
  })

  const paused = t.test(
    'lets another node end the calls of a frozen process whose phones do not resume, and drops them after it wakes',
    async (t) => {
      const software = await startSoftware(t)
      const settings = {
        DATABASE_URL: await freshPostgres(),
        OFFHOOK_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
        OFFHOOK_EGRESS_ALLOW: software.address,
        OFFHOOK_DATA: await temporaryFolder(t),
      }
      const exchange = await startExchange(t, settings)
      const [other, proxy] = await Promise.all([
        startExchange(t, settings),
        startDispatcher(t, { host: carrier, destinations: [exchange.sip] }),
        prepare(exchange, software),
      ])
      const started = performance.now()
      const mix = { arriving: 2, leaving: 2, inside: 2 }
      // Sipp replies to the source address of the call, so its challenge would not arrive.
      const peers = await establish(t, exchange, mix, { network: 'uas', proxy: proxy.address })
      const talking = performance.now()
      // Deliveries in progress when a process freezes are retried by others a minute later.
      await allTold('answer', software, mix)
      await noneUnderWay(settings.DATABASE_URL)
      exchange.program.child.kill('SIGSTOP')
      const still = performance.now()
      for (const [peer, options] of peers) assertSucceeded(await peer.result(), options)
      await allTold('hangup', software, mix)
      const found = await findOut(other, software)
      assertSettled(found, {
        mix,
        seconds: { min: Math.floor((still - talking) / 1000 - noticedSeconds), most: Math.ceil((still - started) / 1000) },
      })
      exchange.program.child.kill('SIGCONT')
      await until('no calls', async () => (await exchange.admin.listCalls()).data.length === 0 || undefined)
      await pause(500)
      assert.deepEqual(await findOut(other, software), found, 'and it writes nothing')
    },
  )
  await Promise.all([killed, paused])
})
