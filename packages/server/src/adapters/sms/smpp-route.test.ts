import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { ask, npmSmsc, type NpmPdu, type NpmSession } from '@offhook/smpp/testing/npm-smpp.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { SmsLater, SmsRefused, type InboundSms, type SmsPart, type SmsReceipt } from '#core/kernel/ports/messages.ts'
import { SmppUnanswered } from '@offhook/smpp/pdu/smpp-error.ts'
import { realClock } from '../clock/clocks.ts'
import { SmppRoute } from './smpp-route.ts'
import { readSmppUrl } from './smpp-url.ts'

const part: SmsPart = {
  sender: '+4915799912345',
  recipient: '+491701234567',
  encoding: 'GSM7',
  payload: Buffer.from('Hello'),
  text: 'Hello',
}

type Answer = (pdu: NpmPdu, session: NpmSession) => void

/** A route that is bound to a third-party message centre. */
const bindRoute = async (t: TestContext, options: string, answer: Answer) => {
  let session: NpmSession | undefined
  const centre = await npmSmsc((opened) => {
    session = opened
    opened.on('bind_transceiver', (pdu: NpmPdu) => opened.send(pdu.response({ system_id: 'centre' })))
    opened.on('submit_sm', (pdu: NpmPdu) => answer(pdu, opened))
    opened.on('unbind', (pdu: NpmPdu) => opened.send(pdu.response()))
  })
  const [arrived, receipts]: [InboundSms[], SmsReceipt[]] = [[], []]
  const [bound, lost] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const route = new SmppRoute({
    account: readSmppUrl(`smpp://me:pw@127.0.0.1:${centre.port}${options}`),
    clock: realClock(),
    receiver: {
      arrived: (_route, sms) => Promise.resolve(void arrived.push(sms)),
      receipt: (_route, receipt) => Promise.resolve(void receipts.push(receipt)),
    },
    random: () => 0,
    changed: (state) => (state.bound ? bound : lost).resolve(),
    fault: (error) => bound.reject(error),
  })
  t.after(async () => {
    await route.close()
    await centre.close()
  })
  route.start()
  await bound.promise
  assert.ok(session)
  return { route, arrived, receipts, centre: session, lost: lost.promise }
}

const deliver = async (session: NpmSession, fields: Record<string, unknown>): Promise<void> =>
  assert.equal((await ask(session, 'deliver_sm', fields)).command_status, 0)

const receiptFrom = (id: string) => ({
  esm_class: 4,
  source_addr_ton: 1,
  source_addr: '491701234567',
  short_message: `id:${id} sub:001 dlvrd:001 submit date:2611150130 done date:2611150130 stat:DELIVRD err:000 text:`,
})

test('an id is the same in every notation of the message centre', async (t) => {
  const notations: [string, string, string][] = [
    ['?ids=hex-decimal', '0A1B', '2587'],
    ['?ids=decimal-hex', '2587', 'A1B'],
    ['', 'x-77', 'x-77'],
  ]
  for (const [options, answered, receipted] of notations) {
    const { route, receipts, centre } = await bindRoute(t, options, (pdu, session) => session.send(pdu.response({ message_id: answered })))
    const { id } = await route.submit(part)
    await deliver(centre, receiptFrom(receipted))
    assert.deepEqual(receipts, [{ id, state: 'DELIVERED', error: '', recipient: '+491701234567' }], options)
  }
})

test('the status of the response decides about the retry', async (t) => {
  let status = 0x0b
  const { route, lost } = await bindRoute(t, '', (pdu, session) => {
    if (status === 0) session.destroy()
    else session.send(pdu.response({ command_status: status }))
  })
  await assert.rejects(route.submit(part), (error) => error instanceof SmsRefused && /recipient is not valid/.test(error.why))
  status = 0x58
  await assert.rejects(route.submit(part), (error) => error instanceof SmsLater && error.waitMs === 1_000)
  status = 0
  // After throttling it waits a moment before the next message.
  await assert.rejects(route.submit(part), SmppUnanswered)
  await lost
  assert.deepEqual([route.state.usable, route.state.reason !== ''], [false, true])
  await assert.rejects(route.submit(part), SmsLater, 'not bound: it did not leave us')
})

test('handles parts, unusual number types, and messages that are not for people', async (t) => {
  const sent: NpmPdu[] = []
  const { route, arrived, centre } = await bindRoute(t, '?ton=2&npi=8', (pdu, session) => {
    sent.push(pdu)
    session.send(pdu.response({ message_id: 'm' }))
  })
  await route.submit({ ...part, sender: 'Offhook', of: { reference: 300, total: 2, number: 1 } })
  const [pdu] = sent
  assert.deepEqual([pdu?.source_addr_ton, pdu?.source_addr, pdu?.destination_addr, pdu?.esm_class], [5, 'Offhook', '491701234567', 0x40])
  assert.deepEqual(pdu?.short_message?.udh, [Buffer.from([0, 3, 44, 2, 1])])
  const addresses = { source_addr_ton: 5, source_addr: 'Bank', destination_addr: '4915799912345' }
  await deliver(centre, { ...addresses, data_coding: 4, short_message: Buffer.from([1, 2, 3]) })
  await deliver(centre, {
    ...addresses,
    esm_class: 0x40,
    short_message: { udh: Buffer.from([6, 5, 4, 0x0b, 0x84, 0x23, 0xf0]), message: 'push' },
  })
  await deliver(centre, { ...addresses, data_coding: 0, short_message: 'Code 1234' })
  assert.deepEqual(arrived, [{ sender: 'Bank', recipient: '4915799912345', text: 'Code 1234' }])
})

test('reports an unavailable message centre since its first failure', async (t) => {
  const clock = new VirtualClock()
  let notified = Promise.withResolvers<void>()
  const route = new SmppRoute({
    account: readSmppUrl('smpp://me:pw@127.0.0.1:1'),
    clock,
    receiver: { arrived: () => Promise.resolve(), receipt: () => Promise.resolve() },
    random: () => 0,
    changed: () => notified.resolve(),
    fault: (error) => notified.reject(error),
  })
  t.after(() => route.close())
  const { since } = route.state
  route.start()
  await notified.promise
  notified = Promise.withResolvers()
  await clock.advance(5_000)
  await notified.promise
  assert.deepEqual([route.state.usable, route.state.since], [false, since])
  assert.match(route.state.reason, /ECONNREFUSED/)
})
