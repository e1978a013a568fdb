import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openExchange, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'
import { withCode } from '#test/http/with-code.ts'
import { wavFile } from '#media/sound/wav.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { OutboundFailure, type OutboundHttp, type OutboundRequest } from '#core/kernel/ports/outbound.ts'
import type { WavSound } from '#core/kernel/ports/audio.ts'
import { fetchAnnouncement } from './announce.ts'

const as = ({ accountId, userId }: Customer): UserCaller => ({ accountId, userId, admin: false }) as UserCaller

const talking = async (exchange: Exchange) => {
  const ada = await exchange.newCustomer()
  const caller = await exchange.callIn(ada.number)
  const { phone } = exchange
  phone.answers()
  await exchange.rest()
  const [call] = exchange.calls.list(as(ada))
  return { caller, phone, call: call ?? assert.fail('no call') }
}

const sound = (bytes: number): WavSound => ({ wav: new Uint8Array(bytes) })

/** Tracks whether the promise has resolved. */
const watch = (promise: Promise<void>) => {
  const seen = { done: false }
  void promise.then(() => (seen.done = true))
  return seen
}

test('plays announcements to all parties in request order and resolves when playback starts', async (t) => {
  const exchange = await openExchange(t)
  const { caller, phone, call } = await talking(exchange)
  const { promise: slow, resolve: arrive } = Promise.withResolvers<WavSound>()
  const first = call.announce(() => slow)
  const second = watch(call.announce(() => Promise.resolve(sound(2))))
  await exchange.rest()
  assert.deepEqual([caller.announcing, phone.announcing], [[], []])
  await call.mute(true) // other commands do not wait for a slow server
  arrive(sound(1))
  await first
  await exchange.rest()
  for (const leg of [caller, phone]) assert.deepEqual(leg.log.slice(-2), ['announce wav 1', 'announce wav 2'])
  assert.equal(second.done, false)
  await exchange.seconds(2)
  assert.equal(second.done, true)
  await exchange.seconds(2)
  assert.deepEqual([caller.announcing, phone.announcing], [[], []])
})

test('gives up an announcement whose turn does not come within a minute', async (t) => {
  const exchange = await openExchange(t)
  const { caller, phone, call } = await talking(exchange)
  const { promise: done, resolve } = Promise.withResolvers<{ completed: boolean; playedMs: number }>()
  phone.announce = () => ({ begun: new Promise(() => {}), done, stop: () => resolve({ completed: false, playedMs: 0 }) })
  const late = assert.rejects(
    call.announce(() => Promise.resolve(sound(2))),
    withCode('conflict'),
  )
  await exchange.seconds(59)
  await call.hold(true)
  await exchange.seconds(2)
  await late
  assert.deepEqual([(await done).completed, caller.announcing], [false, []])
})

test('skips a failed announcement, rejects a sixth one, and rejects the queued ones when the call ends', async (t) => {
  const exchange = await openExchange(t)
  const { caller, call } = await talking(exchange)
  const lost = assert.rejects(
    call.announce(() => Promise.reject(new Error('lost'))),
    /lost/,
  )
  const begun = Array.from({ length: 4 }, (_, place) => call.announce(() => Promise.resolve(sound(place + 1))))
  await assert.rejects(
    call.announce(() => Promise.resolve(sound(9))),
    { code: 'conflict' },
  )
  await lost
  await begun[0]
  const late = begun.slice(1).map((one) => assert.rejects(one, { code: 'call_not_in_state' }))
  caller.hangsUp()
  await exchange.rest()
  await Promise.all(late)
})

test('limits the total size of queued announcements to the size of one file', async (t) => {
  const exchange = await openExchange(t)
  const { call } = await talking(exchange)
  const half = 5 * 1024 * 1024
  const announce = (bytes: number): Promise<void> => call.announce(() => Promise.resolve(sound(bytes)))
  await announce(half)
  const second = announce(half)
  await assert.rejects(announce(1), withCode('conflict'))
  await exchange.seconds(2)
  await second
  const third = announce(1)
  await exchange.seconds(2)
  await third
})

test('plays the recording notice before queued announcements', async (t) => {
  const exchange = await openExchange(t)
  const { caller, phone, call } = await talking(exchange)
  await call.announce(() => Promise.resolve(sound(1)))
  await call.record(true, { announcement: true })
  for (const leg of [caller, phone])
    assert.deepEqual(
      leg.announcing.map(({ sound: heard }) => 'prompt' in heard),
      [true, false],
    )
})

test('rejects announcements and DTMF when every phone has put the call on hold', async (t) => {
  const exchange = await openExchange(t)
  const { caller, phone, call } = await talking(exchange)
  const announce = (): Promise<void> => call.announce(() => Promise.resolve(sound(1)))
  phone.holds(true)
  await announce()
  await call.sendDtmf('1')
  caller.holds(true)
  for (const refused of [announce(), call.sendDtmf('2')]) await assert.rejects(refused, withCode('conflict'))
  assert.deepEqual(
    [phone, caller].flatMap(({ log }) => log.filter((what) => what.startsWith('dtmf'))),
    ['dtmf 1', 'dtmf 1'],
  )
})

const outbound = (answer: (request: OutboundRequest) => { status?: number; body: Uint8Array }): OutboundHttp => ({
  request: async (request) => {
    const { status = 200, body } = answer(request)
    return { status, headers: {}, body: Buffer.from(body) }
  },
  close: () => Promise.resolve(),
})

const tone = wavFile(new Int16Array(800).fill(1000), 8000)

test('fetches a file with a deadline and a size limit', async () => {
  const asked: OutboundRequest[] = []
  const door = outbound((request) => {
    asked.push(request)
    return { body: tone }
  })
  assert.deepEqual(await fetchAnnouncement(door, 'https://example.com/a.wav'), { wav: Buffer.from(tone) })
  assert.deepEqual(asked, [{ method: 'GET', url: 'https://example.com/a.wav', deadlineMs: 10_000, maxBytes: 10 * 1024 * 1024 }])
})

test('reports the fault of a file without details of the internal network', async () => {
  const messageOf = async (door: OutboundHttp): Promise<string> => {
    const problem = await fetchAnnouncement(door, 'https://example.com/a.wav').then(
      () => assert.fail('it was taken'),
      (error: unknown) => error as { status: number; message: string; details: { field: string }[] },
    )
    assert.deepEqual([problem.status, problem.details.map(({ field }) => field)], [400, ['url']])
    return problem.message
  }
  const failing = (kind: OutboundFailure['kind']) =>
    outbound(() => {
      throw new OutboundFailure(kind, `secret ${kind}`)
    })
  const kinds = ['refused', 'connect', 'timeout', 'broken'] as const
  const messages = await Promise.all(kinds.map((kind) => messageOf(failing(kind))))
  assert.deepEqual([new Set(messages).size, /secret/.test(messages.join())], [1, false])
  assert.match(await messageOf(failing('too_large')), /10485760/)
  assert.match(await messageOf(outbound(() => ({ status: 302, body: tone }))), /302/)
  assert.match(await messageOf(outbound(() => ({ body: wavFile(new Int16Array(8), 16_000) }))), /16000 Hz/)
  assert.match(await messageOf(outbound(() => ({ body: wavFile(new Int16Array(8001 * 600), 8000) }))), /600/)
})
