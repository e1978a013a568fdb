import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Phone } from '#test/peers/baresip.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange } from '#test/service/exchange.ts'
import { until } from '#test/machine/peer-process.ts'
import { assertSucceeded, startSipp, type SippOptions } from '#test/peers/sipp.ts'
import { secondsOf } from '#test/sound/tones.ts'

const carrier = '127.0.0.2'
const [landline, mobile] = ['+498912345678', '+4915112345678']
/** Frequency of the service's ringback and busy tones in Hz. */
const signal = 425
const [low, high] = [600, 800]

/** The service's tones are softer than those of the phones. */
const hearsSignal = (phone: Phone, seconds: number) =>
  until('the signal', async () => {
    const { channels, rate } = (await phone.heard()).at(-1) ?? { channels: [], rate: 8000 }
    return secondsOf(channels[0] ?? new Float32Array(), rate, signal) >= seconds ? true : undefined
  })

test('connects people by click-to-call', async (t) => {
  if (!(await needs(t, 'sipp', 'baresip'))) return
  const exchange = await startExchange(t, { OFFHOOK_SPEECH: 'off' })
  const { accountId, userId, admin, operator } = exchange
  const [desk, colleague] = await Promise.all([exchange.newPhone(t, { tone: low }), exchange.newPhone(t, { tone: high })])
  const line = await exchange.newLine(colleague.deviceId)
  const calls = async () => (await admin.listCalls()).data
  const entryOf = (sessionId: string) =>
    until('the history entry', async () => (await admin.listHistory({ userId })).items.find(({ callId }) => callId === sessionId))

  await t.test('rings the user’s phone with the callee’s number, then the callee, then connects them', async () => {
    const { sessionId } = await admin.startCall({}, { caller: desk.deviceId, callee: line.number })
    const { peeruri } = await desk.event('CALL_INCOMING')
    assert.ok(peeruri?.includes(line.number), peeruri)
    assert.deepEqual([colleague.events().filter(({ type }) => type === 'CALL_INCOMING'), await calls()], [[], []])
    await desk.accept()
    await colleague.event('CALL_INCOMING')
    await hearsSignal(desk, 0.8)
    assert.deepEqual(await calls(), [], 'no call is established yet')
    await colleague.accept()
    await Promise.all([desk.hears(high, 1), colleague.hears(low, 1)])
    const [call, ...others] = await calls()
    assert.deepEqual([call?.callId, call?.participants.length, others], [sessionId, 2, []])
    await admin.hangUpCall({ callId: sessionId })
    await Promise.all([desk.event('CALL_CLOSED'), colleague.event('CALL_CLOSED')])
    const { direction, callStatus, target, duration = 0 } = await entryOf(sessionId)
    assert.deepEqual([direction, callStatus, target], ['OUTGOING', 'SUCCESS', line.number])
    assert.ok(duration >= 1 && duration < 120, `${duration} s`)
  })

  await t.test('ends the call while the user’s phone rings', async () => {
    const { sessionId } = await admin.startCall({}, { caller: desk.deviceId, callee: line.number })
    await desk.event('CALL_INCOMING')
    await admin.hangUpCall({ callId: sessionId })
    await desk.event('CALL_CLOSED')
    const { direction, callStatus } = await entryOf(sessionId)
    assert.deepEqual([direction, callStatus], ['MISSED_OUTGOING', 'MISSED'])
  })

  await t.test('plays busy tone to the caller when the callee is busy, then hangs up', async (t) => {
    const network = await startSipp(t, { scenario: 'uas-486', address: carrier })
    const trunkId = await exchange.newTrunk(carrier, { port: network.port })
    const { sessionId } = await admin.startCall({}, { caller: desk.deviceId, callee: landline })
    await desk.answer()
    await hearsSignal(desk, 1.5)
    await desk.event('CALL_CLOSED')
    const { direction, callStatus } = await entryOf(sessionId)
    assert.deepEqual([direction, callStatus], ['MISSED_OUTGOING', 'BUSY'])
    assert.equal((await operator.readBalance({ accountId })).reserved, 0)
    await operator.deleteTrunk({ trunkId })
  })

  await t.test('calls two external parties over a carrier with a number of the account, and charges each leg', async (t) => {
    const carried: SippOptions = { scenario: 'uas', echo: true, address: carrier, calls: 2 }
    const network = await startSipp(t, carried)
    await exchange.newTrunk(carrier, { port: network.port })
    const callerId = await exchange.newNumber()
    const before = await operator.readBalance({ accountId })
    const { sessionId } = await admin.startCall({}, { caller: mobile, callee: landline, deviceId: desk.deviceId, callerId })
    await until('they talk', async () => ((await calls()).length > 0 ? true : undefined))
    await admin.hangUpCall({ callId: sessionId })
    const result = await network.result()
    assertSucceeded(result, carried)
    const invited = [...result.messages.matchAll(/^INVITE sip:(\+\d+)@[^]*?^From:.*sip:(\+\d+)@/gm)].map(([, to, from]) => [to, from])
    assert.deepEqual(invited, [
      [mobile, callerId],
      [landline, callerId],
    ])
    const after = await until('the bill', async () => {
      const balance = await operator.readBalance({ accountId })
      return balance.reserved === 0 && balance.amount < before.amount ? balance : undefined
    })
    assert.equal(before.amount - after.amount, 990 + 190)
    assert.equal((await entryOf(sessionId)).callStatus, 'SUCCESS')
  })
})
