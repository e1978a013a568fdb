import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { needs } from '#test/peers/debian.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { startLossyRelay, type Losses } from '#test/peers/lossy-relay.ts'
import { until } from '#test/machine/peer-process.ts'
import { assertSucceeded, sippSucceeds, startSipp, type SippOptions } from '#test/peers/sipp.ts'

const carrier = '127.0.0.2'
/** A call is closed after the response to its BYE. A call that is not ended would last 32 s, until the wait for an ACK times out. */
const soonThresholdMs = 10_000
const transports = ['udp', 'tcp'] as const

/** Loss of each message of a call, twice in a row, and combinations that make a peer mistake one response for another. */
const unlucky: Losses[] = [
  ['INVITE 1'],
  ['INVITE 1', 'INVITE 2'],
  ['200 INVITE 1'],
  ['200 INVITE 1', '200 INVITE 2'],
  ['ACK 1'],
  ['BYE 1'],
  ['BYE 1', 'BYE 2'],
  ['200 BYE 1'],
  ['200 BYE 1', '200 BYE 2'],
  ['200 INVITE 1', 'ACK 1'],
  ['ACK 1', 'BYE 1'],
  ['ACK 1', '200 BYE 1'],
  ['ACK 1', 'BYE 1', 'BYE 2', '200 BYE 1'],
  ['INVITE 1', '200 INVITE 1', 'ACK 1', 'BYE 1', '200 BYE 1'],
]

/** Calls like a carrier: identified by its address. */
const callsIn = async (t: TestContext, exchange: Exchange, number: string, options: SippOptions): Promise<void> => {
  await sippSucceeds(t, { target: exchange.sip, service: number, address: carrier, ...options })
}

/** A carrier calls a number of a scripted phone; both must follow their scripts. */
const throughUs = async (t: TestContext, exchange: Exchange, caller: SippOptions, called: SippOptions): Promise<void> => {
  const phone = await startSipp(t, called)
  const number = await exchange.numberOf(t, phone, called.transport)
  await callsIn(t, exchange, number, caller)
  assertSucceeded(await phone.result(), called)
}

const everyScript = async (t: TestContext, exchange: Exchange): Promise<void> => {
  const { demoNumber } = exchange

  const answered: SippOptions[] = [
    { scenario: 'uac', calls: 20, more: ['-d', '200'] },
    { scenario: 'uac-hold', calls: 3 },
    { scenario: 'uac-late-offer', calls: 3, more: ['-d', '200'] },
    { scenario: 'uac-update', calls: 3 },
    { scenario: 'uac-session-timer', calls: 3 },
    { scenario: 'uac-session-timer-short' },
    { scenario: 'uac-options' },
  ]
  const direct = transports.flatMap((transport) =>
    answered.map((options) =>
      t.test(`runs ${options.scenario} over ${transport}`, (t) => callsIn(t, exchange, demoNumber, { ...options, transport })),
    ),
  )
  const unknown = t.test('answers 404 for a number that is not in service', (t) =>
    callsIn(t, exchange, '+493023125999', { scenario: 'uac-404' }),
  )
  const outsideNumber = t.test('challenges a peer that is not a carrier', (t) =>
    callsIn(t, exchange, demoNumber, { scenario: 'uac-401', address: '127.0.0.9' }),
  )

  const pairs: [string, SippOptions, SippOptions][] = [
    ['a call', { scenario: 'uac', calls: 5, more: ['-d', '200'] }, { scenario: 'uas', calls: 5 }],
    ['a call that the called side ends', { scenario: 'uac-bye-by-peer' }, { scenario: 'uas-hangs-up', more: ['-d', '200'] }],
    ['CANCEL', { scenario: 'uac-cancel', calls: 3 }, { scenario: 'uas-cancelled', calls: 3 }],
    ['CANCEL that crosses the answer', { scenario: 'uac-cancel' }, { scenario: 'uas-answers-into-cancel' }],
    ['PRACK', { scenario: 'uac-prack' }, { scenario: 'uas-prack' }],
    ['PRACK only with the caller', { scenario: 'uac-prack' }, { scenario: 'uas', more: ['-d', '300'] }],
    ['PRACK only with the called', { scenario: 'uac' }, { scenario: 'uas-prack' }],
    ['early media', { scenario: 'uac' }, { scenario: 'uas-early-media', more: ['-d', '300'] }],
    ['a busy phone', { scenario: 'uac-486' }, { scenario: 'uas-486' }],
    ['a phone that declines', { scenario: 'uac-603' }, { scenario: 'uas-603' }],
  ]
  const bridged = transports.flatMap((transport) =>
    pairs.map(([name, caller, called]) =>
      t.test(`runs ${name}, through us to a phone over ${transport}`, (t) =>
        throughUs(t, exchange, { ...caller, transport }, { ...called, transport }),
      ),
    ),
  )
  const absent = t.test('reports an unregistered phone as unreachable', async (t) => {
    const { deviceId } = await exchange.newDevice()
    await callsIn(t, exchange, (await exchange.newLine(deviceId)).number, { scenario: 'uac-480' })
  })
  const phone = t.test('accepts a call from a phone with its password', async (t) => {
    const login = await exchange.newDevice()
    const keys = { from: login.user, domain: exchange.sip }
    const more = ['-d', '200', '-auth_uri', `${demoNumber}@${exchange.sip}`]
    await sippSucceeds(t, { scenario: 'phone-call', target: exchange.sip, service: demoNumber, login, keys, calls: 3, more })
  })
  const transfer = t.test('transfers the caller when a called phone sends REFER', async (t) => {
    const next: SippOptions = { scenario: 'uas' }
    const there = await startSipp(t, next)
    const refers: SippOptions = { scenario: 'uas-refers', keys: { refer_to: `${await exchange.numberOf(t, there)}@${exchange.sip}` } }
    await throughUs(t, exchange, { scenario: 'uac', more: ['-d', '2000'] }, refers)
    assertSucceeded(await there.result(), next)
  })
  await Promise.all([...direct, unknown, outsideNumber, ...bridged, absent, phone, transfer])
}

test('follows the scripts of a carrier', async (t) => {
  if (!(await needs(t, 'sipp'))) return
  const exchange = await startExchange(t)
  await exchange.newTrunk(carrier)
  const noCalls = async (): Promise<void> => {
    const gone = async () => (await exchange.admin.listCalls()).data.length === 0
    await until('the end of all calls', gone, soonThresholdMs)
  }

  await t.test('runs every call script', { concurrency: 5 }, (t) => everyScript(t, exchange))

  await t.test('releases everything when a caller cancels immediately', async (t) => {
    const phone = await startSipp(t, { scenario: 'uas-cancelled', calls: 1 })
    const number = await exchange.numberOf(t, phone)
    await callsIn(t, exchange, number, { scenario: 'uac-cancel-early', calls: 5, rate: 50 })
    await noCalls()
  })

  await t.test('completes every call despite lost messages', async (t) => {
    const wire = await startLossyRelay(t, carrier, exchange.sip, unlucky)
    const options = { scenario: 'uac', calls: unlucky.length, rate: 20, more: ['-d', '200'] }
    await callsIn(t, exchange, exchange.demoNumber, { ...options, target: wire.address })
    assert.deepEqual(wire.lost(), unlucky)
    await noCalls()
  })

  await t.test('carries 500 calls at 50 per second without a failure', async (t) => {
    const calls = 500
    // A slower machine has fewer concurrent calls, not a growing queue.
    const caller = { scenario: 'uac', calls, rate: 50, concurrent: 50, more: ['-d', '500'] }
    await throughUs(t, exchange, caller, { scenario: 'uas', calls })
    await noCalls()
  })
})
