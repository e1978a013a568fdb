import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange } from '#test/service/exchange.ts'
import { writeTone } from '#test/sound/wav.ts'

const [receptionTone, salesTone] = [900, 1500]

interface Told {
  type: string
  cause?: string
  reason?: string
  session: { id: string; call_id?: string; correlation_id?: string; variables?: Record<string, unknown> }
  transferred_from?: { flow_id: string; session_id: string; summary?: string }
}

/** A customer's server of node:http alone: answers an event with these actions. */
const startServer = async (t: TestContext, answer: (event: Told) => unknown) => {
  const events: Told[] = []
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      const event = body as Told
      events.push(event)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer(event) ?? {}))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const told = (type: string) => until(`the event ${type}`, () => events.find((event) => event.type === type))
  return { events, address, url: `http://${address}/`, told }
}

const toneOf = async (t: TestContext, hz: number): Promise<string> => {
  const file = join(await temporaryFolder(t), 'tone.wav')
  await writeTone(file, { hz, seconds: 3, rate: 8000 })
  return (await readFile(file)).toString('base64')
}

test('calls a phone with variables, and transfers it to another assistant with them', async (t) => {
  if (!(await needs(t, 'baresip'))) return
  const [first, second] = [await toneOf(t, receptionTone), await toneOf(t, salesTone)]
  const reception = await startServer(t, ({ type }) =>
    type === 'session_start'
      ? [
          { type: 'set_variables', variables: { first_name: 'Ada' } },
          { type: 'audio', audio: first },
          { type: 'transfer', target: salesId, summary: 'Wants a cake' },
        ]
      : undefined,
  )
  const sales = await startServer(t, ({ type }) => {
    if (type === 'session_start') return { type: 'audio', audio: second }
    if (type === 'assistant_speak') return { type: 'transfer', target: receptionId }
    return type === 'transfer_failed' ? { type: 'hangup' } : undefined
  })
  const exchange = await startExchange(t, { OFFHOOK_EGRESS_ALLOW: `${reception.address},${sales.address}` })
  const { admin, accountId } = exchange
  await exchange.operator.reviewAccountOutbound({ accountId }, { enabled: true, reviewer: 'Rita', reason: 'test' })
  const { id: receptionId } = await admin.createFlow({}, { name: 'Reception', webhookUrl: reception.url })
  const { id: salesId } = await admin.createFlow(
    {},
    {
      name: 'Sales',
      webhookUrl: sales.url,
      extended_events: ['transfer_failed'],
      transfer_targets: [receptionId],
      variables: { team: 'sales' },
    },
  )
  const number = await exchange.newNumber(receptionId)
  await admin.changeFlow(
    { aiFlowId: receptionId },
    {
      name: 'Reception',
      webhookUrl: reception.url,
      phone_number: number.slice(1),
      transfer_targets: [salesId],
      variables: { first_name: '', tone: 'kind', order: 1 },
    },
  )
  const phone = await exchange.newPhone(t, {})
  const line = await exchange.newLine(phone.deviceId)
  const { sessionId: callId } = await admin.callFlow(
    { aiFlowId: receptionId },
    { billingDevice: phone.deviceId, toPhoneNumber: line.number.slice(1), variables: { order: 17 }, correlationId: 'order-17' },
  )
  await phone.event('CALL_INCOMING')
  await phone.accept()
  await phone.hears(receptionTone, 1)
  await phone.hears(salesTone, 1)

  const began = await reception.told('session_start')
  assert.deepEqual([began.session.id, began.session.correlation_id], [callId, 'order-17'])
  assert.deepEqual(began.session.variables, { first_name: '', tone: 'kind', order: 17 })
  const left = await reception.told('session_end')
  assert.deepEqual([left.reason, left.session.variables], ['transferred', { first_name: 'Ada', tone: 'kind', order: 17 }])
  const taken = await sales.told('session_start')
  assert.deepEqual([taken.session.id, taken.session.call_id, taken.session.correlation_id], [`${callId}.2`, callId, 'order-17'])
  assert.deepEqual(taken.session.variables, { team: 'sales', first_name: 'Ada', tone: 'kind', order: 17 })
  assert.deepEqual(
    [taken.transferred_from?.flow_id, taken.transferred_from?.session_id, taken.transferred_from?.summary],
    [receptionId, callId, 'Wants a cake'],
  )
  assert.equal((await sales.told('transfer_failed')).cause, 'loop')
  assert.equal((await sales.told('session_end')).reason, 'assistant_hangup')
  assert.equal(reception.events.filter(({ type }) => type === 'session_start').length, 1)

  const { items } = await until('the history', async () => {
    const found = await admin.listHistory({ userId: exchange.userId, correlationId: 'order-17' })
    return found.items.some(({ callId: id }) => id === callId) ? found : undefined
  })
  assert.deepEqual(
    items.map(({ direction, correlationId }) => [direction, correlationId]),
    [['OUTGOING', 'order-17']],
  )
  const results = await Promise.all([receptionId, salesId].map((aiFlowId) => admin.getResult({ aiFlowId, callId })))
  assert.deepEqual(
    results.map(({ flowId, sessionId, endReason, variables }) => [flowId, sessionId, endReason, variables?.['first_name']]),
    [
      [receptionId, undefined, 'transferred', 'Ada'],
      [salesId, `${callId}.2`, 'assistant_hangup', 'Ada'],
    ],
  )
})
