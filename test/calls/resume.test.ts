import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import type { Leg, SavedDialog } from '#core/kernel/ports/telephony.ts'
import { startBaresip, type Phone, type PhoneOptions } from '#test/peers/baresip.ts'
import { needs } from '#test/peers/debian.ts'
import { startSipp } from '#test/peers/sipp.ts'
import { Office, plainDial } from '#test/phones/telephone-office.ts'
import { ToneCounter } from '#test/sound/tones.ts'

/** Tone of each party in Hz. */
const tones = { caller: 600, callee: 1100 }

const kept = (leg: Leg): SavedDialog => JSON.parse(JSON.stringify(leg.dialog() ?? assert.fail('nothing to keep'))) as SavedDialog

const secondsOf = async (phone: Phone, hz: number): Promise<number> => {
  const { channels, rate } = (await phone.heard()).at(-1) ?? assert.fail('nothing was heard')
  return new ToneCounter(hz).count(channels[0] ?? new Float32Array(), rate)
}

const answered = (leg: Leg): Promise<void> => new Promise((resolve) => leg.observe({ answered: resolve }))

const bridged = (t: TestContext, office: Office, legs: readonly Leg[]): void => {
  const bridge = office.telephony.bridge()
  t.after(() => bridge.close())
  for (const leg of legs) bridge.add(leg)
}

/** Connects two softphones. */
const talking = async (t: TestContext, office: Office, options: Partial<PhoneOptions> = {}) => {
  const open = async (tone: number): Promise<{ phone: Phone; deviceId: string }> => {
    const { deviceId, username, password } = await office.login()
    const phone = await startBaresip(t, { user: username, password, registrar: office.server, tone, ...options })
    await phone.event('REGISTER_OK')
    return { phone, deviceId }
  }
  const [caller, callee] = [await open(tones.caller), await open(tones.callee)]
  await caller.phone.dial('+493023125099')
  const { leg: one } = await office.incoming()
  const [called] = await office.dialDevice(callee.deviceId, { near: one })
  const other = called ?? assert.fail('not called')
  const both = answered(other)
  await callee.phone.answer()
  await Promise.all([both, one.answer()])
  bridged(t, office, [one, other])
  await Promise.all([caller.phone.hears(tones.callee, 0.5), callee.phone.hears(tones.caller, 0.5)])
  return { caller: caller.phone, callee: callee.phone, legs: [one, other] }
}

const ways: [string, Partial<PhoneOptions>][] = [
  ['in the clear', {}],
  ['encrypted', { encryption: 'srtp-mand' }],
  ['with Opus', { codecs: 'opus/48000/2', rate: 48_000 }],
]

for (const [how, options] of ways) {
  test(`restores two-way audio between softphones after another process takes over their call, ${how}`, async (t) => {
    if (!(await needs(t, 'baresip'))) return
    const key = randomBytes(32)
    const [first, second] = [await Office.open(t, { key }), await Office.open(t, { key })]
    const { caller, callee, legs } = await talking(t, first, options)
    const saved = legs.map(kept)
    for (const leg of legs) leg.abandon()
    const resumed = (await second.telephony.resume(saved)).map(({ leg }) => leg ?? assert.fail('not resumed'))
    const before = await Promise.all([secondsOf(caller, tones.callee), secondsOf(callee, tones.caller)])
    bridged(t, second, resumed)
    await Promise.all([caller.hears(tones.callee, before[0] + 1), callee.hears(tones.caller, before[1] + 1)])
    // In-dialog requests reach the new process.
    const [one, other] = resumed
    const held = new Promise((resolve) => one?.observe({ held: resolve }))
    await caller.hold()
    assert.equal(await held, true)
    await caller.resume()
    await callee.hangUp()
    assert.equal((await other?.ended)?.by, 'peer')
    await one?.hangUp('normal')
    await caller.event('CALL_CLOSED')
    assert.deepEqual([...first.failures, ...second.failures], [])
  })
}

test('takes over a call with a carrier that answers 491 and then challenges', async (t) => {
  if (!(await needs(t, 'sipp'))) return
  const key = randomBytes(32)
  const first = await Office.open(t, { key })
  const network = await startSipp(t, { scenario: 'uas-guarded-reinvite', address: '127.0.0.2', calls: 1 })
  const login = { port: network.port, username: 'account7', password: 'Sesam', realm: 'carrier.example' }
  const { trunkId } = await first.carrier('127.0.0.2', login)
  const [leg] = await first.telephony.dial({ kind: 'trunk', trunkId, number: '+498912345678', emergency: false }, plainDial)
  const called = leg ?? assert.fail('not called')
  await answered(called)
  const saved = kept(called)
  called.abandon()
  await called.ended
  assert.equal(first.telephony.trunkHealth(trunkId).calls, 0)
  // Sipp replies to the first source address of a call, so the other process binds it.
  const port = first.telephony.port('udp') ?? 0
  await first.telephony.close()
  const second = await Office.open(t, { key, telephony: { listen: { host: '127.0.0.1', port } } })
  await second.carrier('127.0.0.2', login)
  const [resumed] = await second.telephony.resume([saved])
  assert.ok(resumed?.leg, JSON.stringify(resumed))
  assert.equal(second.telephony.trunkHealth(trunkId).calls, 1)
  await resumed.leg.hangUp('normal')
  assert.equal(second.telephony.trunkHealth(trunkId).calls, 0)
  const { succeeded, errors } = await network.result()
  assert.equal(succeeded, 1, errors)
})
