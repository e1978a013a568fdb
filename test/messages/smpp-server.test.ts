import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { startMessageCentre } from '#test/peers/message-centre.ts'
import { ask, npmEsme, type NpmPdu, type NpmSession } from '@offhook/smpp/testing/npm-smpp.ts'
import { until } from '#test/machine/peer-process.ts'
import { newMobileNumber, openSmsOffice, outside, ownMobile, pricePerSegment, type SmsOffice } from '#test/service/sms-office.ts'
import { withCode } from '#test/http/with-code.ts'

const smppOn = { OFFHOOK_SMPP: '127.0.0.1:0' }

interface Program {
  session: NpmSession
  /** Messages delivered to it, oldest first. */
  received: { text: string; from: string; receipt: boolean; id: string | undefined }[]
}

interface Login {
  systemId: string
  password: string
  addresses: string[]
}

const portOf = ({ addresses }: Login): number => Number(new URL(addresses[0] ?? '').port)

/** npm `smpp` as a customer's program. */
const bindProgram = async (login: Login, answer: () => number = () => 0): Promise<Program> => {
  const session = await npmEsme(portOf(login))
  const received: Program['received'] = []
  session.on('deliver_sm', (pdu: NpmPdu) => {
    const status = answer()
    session.send(pdu.response({ command_status: status }))
    if (status !== 0) return
    const text = String(pdu.short_message?.message)
    const receipt = ((pdu.esm_class ?? 0) & 0x3c) === 4
    received.push({ text, receipt, from: pdu.source_addr ?? '', id: pdu.receipted_message_id })
  })
  const { command_status } = await ask(session, 'bind_transceiver', { system_id: login.systemId, password: login.password })
  assert.equal(command_status, 0)
  return { session, received }
}

const to = { dest_addr_ton: 1, dest_addr_npi: 1, destination_addr: outside.slice(1) }

const open = async (t: Parameters<typeof startExchange>[0], treat: Parameters<typeof startMessageCentre>[1]) => {
  const centre = await startMessageCentre(t, treat)
  const exchange = await startExchange(t, { ...smppOn, OFFHOOK_SMPP_URL: centre.url })
  const office = await openSmsOffice(exchange, centre)
  return { centre, exchange, office, login: await newLogin(exchange, office) }
}

const newLogin = ({ admin, userId }: Exchange, { smsId }: SmsOffice): Promise<Login> => admin.createSmppLogin({ userId, smsId })

test('serves customers’ programs over SMPP', { concurrency: true }, async (t) => {
  const sends = t.test('sends with the senders and the balance of the extension, and returns receipts', async (t) => {
    const { centre, exchange, office, login } = await open(t, (_sms, n) => ({ id: `c${n}`, receipt: 'after' }))
    assert.match(login.password, /^[A-Za-z0-9]{8}$/)
    const { session, received } = await bindProgram(login)
    const text = 'From a program'
    const taken = await ask(session, 'submit_sm', { ...to, short_message: text, registered_delivery: 1 })
    assert.equal(taken.command_status, 0)
    const receipt = await until('the receipt', () => received[0])
    assert.deepEqual([receipt.receipt, receipt.id, receipt.from], [true, taken.message_id, outside.slice(1)])
    assert.match(receipt.text, /stat:DELIVRD/)
    const entry = await office.entry(text, 'DELIVERED')
    assert.deepEqual([entry.source, entry.target], [ownMobile, outside])
    assert.equal(centre.submitted[1]?.sender, ownMobile.slice(1))

    const parts = ['Long '.repeat(30), 'and the end €'].map((message, index) =>
      ask(session, 'submit_sm', {
        ...to,
        source_addr_ton: 1,
        source_addr: ownMobile.slice(1),
        esm_class: 0x40,
        data_coding: 0,
        registered_delivery: index === 0 ? 1 : 0,
        short_message: { udh: Buffer.from([5, 0, 3, 9, 2, index + 1]), message },
      }),
    )
    const ids = (await Promise.all(parts)).map(({ command_status, message_id }) => [command_status, message_id])
    assert.deepEqual(
      ids.map(([status]) => status),
      [0, 0],
    )
    await office.entry(`${'Long '.repeat(30)}and the end €`, 'DELIVERED')
    assert.equal((await until('the receipt of the first part', () => received[1])).id, ids[0]?.[1])
    assert.equal(await office.spent(), 3 * pricePerSegment)

    const refused = [
      [{ ...to, source_addr_ton: 1, source_addr: '491799999999', short_message: 'x' }, 0x0a],
      [{ ...to, source_addr_ton: 5, source_addr: 'Police', short_message: 'x' }, 0x0a],
      [{ ...to, destination_addr: '12', short_message: 'x' }, 0x0b],
      [{ ...to, data_coding: 4, short_message: Buffer.from([1, 2]) }, 0x104],
      [{ ...to, schedule_delivery_time: 'nonsense', short_message: 'x' }, 0x61],
    ] as const
    for (const [fields, status] of refused)
      assert.equal((await ask(session, 'submit_sm', fields)).command_status, status, JSON.stringify(fields))
    const { accountId, operator } = exchange
    const { amount } = await operator.readBalance({ accountId })
    await operator.adjustBalance({ accountId }, { amount: -amount, reason: 'test', idempotencyKey: 'rest' })
    assert.equal((await ask(session, 'submit_sm', { ...to, short_message: 'No money' })).command_status, 0x45)
    session.close()
  })

  const hears = t.test('delivers messages for the extension, also those that came while unbound', async (t) => {
    const { centre, exchange, office, login } = await open(t, (_sms, n) => ({ id: `c${n}` }))
    const number = await newMobileNumber(exchange, office.smsId)
    const arriving = { source_addr_ton: 1, source_addr: outside.slice(1), dest_addr_ton: 1, destination_addr: number.slice(1) }
    const deliver = (text: string): Promise<number> => centre.deliver({ ...arriving, data_coding: 0, short_message: text })
    await deliver('While you were away')
    await office.entry('While you were away')
    const answers = [0, 0x65]
    const program = await bindProgram(login, () => answers.shift() ?? 0)
    const texts = (): string[] => program.received.map(({ text }) => text)
    await until('what came before', () => texts().length === 1 || undefined)
    await deliver('Not for me')
    await until('its refusal', () => answers.length === 0 || undefined)
    await deliver('Now')
    await until('what came after', () => texts().length === 2 || undefined)
    assert.deepEqual(texts(), ['While you were away', 'Now'])
    const emoji = '🚀'.repeat(40)
    await office.send(emoji, number)
    await until('both parts of a long one', () => texts().length === 4 || undefined)
    assert.equal(texts().slice(2).join(''), emoji)
    program.session.close()
  })

  const login = t.test('accepts only the current password, and blocks guessing', async (t) => {
    const exchange = await startExchange(t, smppOn)
    const { admin, userId } = exchange
    const smsId = (await admin.listSms({ userId })).items[0]?.id ?? ''
    await assert.rejects(admin.getSmppLogin({ userId, smsId }), { status: 404 })
    const first: Login = await admin.createSmppLogin({ userId, smsId })
    const { session } = await bindProgram(first)
    const second: Login = await admin.createSmppLogin({ userId, smsId })
    assert.equal(second.systemId, first.systemId)
    assert.notEqual(second.password, first.password)
    const ended = once(session, 'close')
    session.submit_sm({ ...to, short_message: 'Too late' })
    await ended
    const statuses: number[] = []
    for (let guess = 0; guess < 6; guess++) {
      const outsideNumber = await npmEsme(portOf(first))
      statuses.push((await ask(outsideNumber, 'bind_transceiver', { system_id: first.systemId, password: `guess${guess}` })).command_status)
      outsideNumber.close()
    }
    assert.deepEqual(statuses, [0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x58])
    const unbound = await npmEsme(portOf(first))
    assert.equal((await ask(unbound, 'submit_sm', { ...to, short_message: 'Without a name' })).command_status, 0x04)
    unbound.close()
    await admin.deleteSmppLogin({ userId, smsId })
    await assert.rejects(admin.deleteSmppLogin({ userId, smsId }), { status: 404 })
  })

  const closed = t.test('creates no login where SMPP is not enabled', async (t) => {
    const { admin, userId } = await startExchange(t)
    const smsId = (await admin.listSms({ userId })).items[0]?.id ?? ''
    await assert.rejects(admin.createSmppLogin({ userId, smsId }), withCode('line_unavailable', 'OFFHOOK_SMPP'))
  })
  await Promise.all([sends, hears, login, closed])
})
