import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AssistantEvent } from '@offhook/contract/assistant/events.ts'
import { ApiError } from '@offhook/sdk'
import { startAssistantEndpoint } from '#test/peers/assistant-endpoint.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { until } from '#test/machine/peer-process.ts'
import { assertSucceeded, startSipp, type SippOptions } from '#test/peers/sipp.ts'
import { loud, secondsOf } from '#test/sound/tones.ts'
import { readWav, writeTone } from '#test/sound/wav.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'

const carrier = '127.0.0.2'
const outside = '498912345678'
const [assistantTone, low, high] = [1000, 600, 800]

/** One call starts per second, so the next one may have to wait. */
const callOut = (exchange: Exchange, aiFlowId: string, billingDevice: string, toPhoneNumber: string): Promise<string> =>
  until('the call is accepted', async () => {
    try {
      return (await exchange.admin.callFlow({ aiFlowId }, { billingDevice, toPhoneNumber })).sessionId
    } catch (error) {
      if (error instanceof ApiError && error.status === 429) return undefined
      throw error
    }
  })

test('lets assistants originate and connect calls', async (t) => {
  if (!(await needs(t, 'sipp', 'baresip'))) return
  const file = join(await temporaryFolder(t), 'tone.wav')
  await writeTone(file, { hz: assistantTone, seconds: 3, rate: 8000 })
  const audio = (await readFile(file)).toString('base64')
  let reply = (_event: AssistantEvent): unknown => undefined
  const endpoint = await startAssistantEndpoint(t, (event) => reply(event))
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: endpoint.address })
  const { accountId } = exchange
  await exchange.operator.reviewAccountOutbound({ accountId }, { enabled: true, reviewer: 'Rita', reason: 'test' })
  const { id: aiFlowId } = await exchange.admin.createFlow({}, { name: 'Assistant', webhookUrl: endpoint.url })
  const number = await exchange.newNumber(aiFlowId)
  const phone = await exchange.newPhone(t, { tone: low })
  const line = await exchange.newLine(phone.deviceId)
  const flow = {
    name: 'Assistant',
    webhookUrl: endpoint.url,
    phone_number: number.slice(1),
    transfer_targets: [line.lineId],
    recording: true,
  }
  await exchange.admin.changeFlow({ aiFlowId }, flow)
  const historyOf = (sessionId: string) =>
    until('the history entry', async () =>
      (await exchange.admin.listHistory({ userId: exchange.userId })).items.find(({ callId }) => callId === sessionId),
    )

  await t.test('rings a local phone, which hears the assistant after answering', async () => {
    reply = ({ type, session }) => (type === 'session_start' ? { type: 'audio', session_id: session.id, audio } : undefined)
    const sessionId = await callOut(exchange, aiFlowId, phone.deviceId, line.number.slice(1))
    const { peeruri } = await phone.event('CALL_INCOMING')
    assert.ok(peeruri?.includes(number), peeruri)
    assert.deepEqual(endpoint.events, [], 'the callee has not answered')
    await phone.accept()
    const [start] = await endpoint.received('session_start')
    const numbers = { phone_number: line.number.slice(1), from_phone_number: number.slice(1), to_phone_number: line.number.slice(1) }
    assert.deepEqual(start?.session, { id: sessionId, account_id: accountId, direction: 'outbound', ...numbers })
    await phone.hears(assistantTone, 1.5)
    assert.deepEqual(
      (await exchange.admin.listCalls()).data.map(({ callId }) => callId),
      [sessionId],
    )
    await phone.hangUp()
    assert.deepEqual(
      (await endpoint.received('session_end')).map(({ reason }) => reason),
      ['callee_hangup'],
    )
    const { direction, recordings } = await historyOf(sessionId)
    assert.deepEqual([direction, recordings?.length], ['OUTGOING', 1])
    const { rate, channels } = await readWav(join(exchange.data, 'recordings', accountId, `${recordings?.[0]?.id}.wav`))
    const [heard = new Float32Array(), said = new Float32Array()] = channels
    assert.ok(secondsOf(said, rate, low, loud) > 1 && secondsOf(said, rate, assistantTone, loud) === 0, 'what the phone says is right')
    assert.ok(secondsOf(heard, rate, assistantTone, loud) > 1 && secondsOf(heard, rate, low, loud) === 0, 'what the assistant says is left')
  })

  await t.test('calls an external number over a carrier with the flow’s number, and charges it', async (t) => {
    const called: SippOptions = { scenario: 'uas', echo: true, address: carrier }
    const network = await startSipp(t, called)
    const trunkId = await exchange.newTrunk(carrier, { port: network.port })
    reply = ({ type, session }) =>
      type === 'session_start'
        ? [
            { type: 'audio', session_id: session.id, audio },
            { type: 'hangup', session_id: session.id },
          ]
        : undefined
    const { amount } = await exchange.operator.readBalance({ accountId })
    const sessionId = await callOut(exchange, aiFlowId, phone.deviceId, outside)
    const ends = await endpoint.received('session_end', 2)
    assert.deepEqual([ends[1]?.session.id, ends[1]?.reason], [sessionId, 'assistant_hangup'])
    const result = await network.result()
    assertSucceeded(result, called)
    assert.match(result.messages, new RegExp(`^INVITE sip:\\+${outside}@[^]*^From:.*sip:\\${number}@`, 'm'))
    const entry = await historyOf(sessionId)
    assert.ok((entry.duration ?? 0) >= 2, `${entry.duration} s`)
    const balance = await exchange.operator.readBalance({ accountId })
    assert.ok(balance.amount < amount && balance.reserved === 0, JSON.stringify(balance))
    await exchange.operator.deleteTrunk({ trunkId })
  })

  await t.test('opens no session for a busy callee, but writes the history', async (t) => {
    const network = await startSipp(t, { scenario: 'uas-486', address: carrier })
    await exchange.newTrunk(carrier, { port: network.port })
    const before = endpoint.events.length
    const { callStatus, direction } = await historyOf(await callOut(exchange, aiFlowId, phone.deviceId, outside))
    assert.deepEqual([direction, callStatus, endpoint.events.length], ['MISSED_OUTGOING', 'BUSY', before])
  })

  await t.test('connects a caller with a colleague with two-way audio', async (t) => {
    reply = ({ type, session }) =>
      type === 'session_start' ? { type: 'transfer', session_id: session.id, target: line.lineId } : undefined
    const caller = await exchange.newPhone(t, { tone: high })
    await caller.dial(`sip:${number}@${exchange.sip}`)
    await caller.event('CALL_ESTABLISHED')
    await phone.answer()
    await Promise.all([caller.hears(low, 1), phone.hears(high, 1)])
    assert.equal((await endpoint.received('session_end', 3))[2]?.reason, 'transferred')
    await caller.hangUp()
    await phone.event('CALL_CLOSED')
  })
})
