import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { makeCertificate } from '../testing/certificate.ts'
import { ask, npmEsme, npmSmsc } from '../testing/npm-smpp.ts'
import type { NpmPdu, NpmSession } from '../testing/npm-smpp.ts'
import { writtenText } from '../testing/written-text.ts'
import { SmppClient, type ClientOptions, connectSmpp } from './client.ts'
import { esm, messageFields } from '../pdu/pdu.ts'
import type { MessageRequest } from '../pdu/pdu.ts'
import { readReceipt, receiptFields } from '../message/receipt.ts'
import { SmppSession } from '../session/session.ts'
import type { SessionOptions, SmppClock } from '../session/session-options.ts'
import { status } from '../pdu/status.ts'
import { concatenationHeader, readUserData } from '../message/user-data.ts'

const clock: SmppClock = {
  now: Date.now,
  after: (ms, run) => {
    const timer = setTimeout(run, ms).unref()
    return () => clearTimeout(timer)
  },
}
const source = { ton: 5, npi: 0, value: 'Offhook' }
const destination = { ton: 1, npi: 1, value: '491701234567' }

/** Resolves when our client is bound there. */
const bound = async (t: TestContext, port: number, options: Partial<ClientOptions> = {}): Promise<SmppClient> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const client = new SmppClient({
    clock,
    random: Math.random,
    connect: (signal) => connectSmpp({ host: '127.0.0.1', port, tls: false }, signal),
    bind: { systemId: 'offhook', password: 'secret' },
    message: async () => ({ status: status.ok }),
    changed: (state) => state.bound && resolve(),
    ...options,
  })
  t.after(() => client.close())
  client.start()
  await promise
  return client
}

const textOf = (pdu: NpmPdu): string => String(pdu.short_message?.message)

test('npm smpp as SMSC: GSM and Unicode in parts, a receipt before the answer, an inbound message', async (t) => {
  const submitted: NpmPdu[] = []
  let theirs: NpmSession | undefined
  const smsc = await npmSmsc((session) => {
    theirs = session
    session.on('bind_transceiver', (pdu: NpmPdu) =>
      session.send(pdu.response({ command_status: pdu.password === 'secret' ? 0 : 14, system_id: 'NPM' })),
    )
    session.on('unbind', (pdu: NpmPdu) => session.send(pdu.response()))
    session.on('submit_sm', (pdu: NpmPdu) => {
      submitted.push(pdu)
      const id = `m${submitted.length}`
      const words = `id:${id} sub:001 dlvrd:001 submit date:2611150130 done date:2611150130 stat:DELIVRD err:000 text:`
      const answer = (): unknown => session.send(pdu.response({ message_id: id }))
      session.deliver_sm(
        { esm_class: 4, source_addr: pdu.destination_addr, receipted_message_id: id, message_state: 2, short_message: words },
        answer,
      )
    })
  })
  t.after(() => smsc.close())
  const arrived: MessageRequest[] = []
  const client = await bound(t, smsc.port, { message: async (request) => (arrived.push(request), { status: status.ok }) })

  const euros = writtenText('€'.repeat(76))
  const header = concatenationHeader({ reference: 7, total: 2, number: 1 })
  const first = { source, destination, esmClass: esm.userDataHeader, registeredDelivery: 1 }
  const sent = await client.send(
    messageFields({ ...first, dataCoding: euros.dataCoding, shortMessage: Buffer.concat([header, euros.bytes]) }),
  )
  assert.equal(sent.messageId, 'm1')
  assert.deepEqual(readReceipt(arrived[0]!), { id: 'm1', state: 'DELIVERED', error: '' })
  assert.equal(textOf(submitted[0]!), '€'.repeat(76))
  assert.equal(submitted[0]!.source_addr, 'Offhook')
  assert.equal(submitted[0]!.source_addr_ton, 5)

  const emoji = writtenText('Привет 😀')
  await client.send(messageFields({ source, destination, dataCoding: emoji.dataCoding, shortMessage: emoji.bytes }))
  assert.equal(textOf(submitted[1]!), 'Привет 😀')

  const answer = await ask(theirs!, 'deliver_sm', {
    source_addr: '491709999999',
    destination_addr: '4915799912345',
    short_message: 'ja, für 5 €',
  })
  assert.equal(answer.command_status, 0)
  assert.equal(readUserData(arrived.at(-1)!).text, 'ja, für 5 €')
  assert.equal(readReceipt(arrived.at(-1)!), undefined)
})

test('npm smpp as SMSC: rejections by their status, a wrong password', async (t) => {
  const smsc = await npmSmsc((session) => {
    session.on('bind_transceiver', (pdu: NpmPdu) => session.send(pdu.response({ command_status: pdu.password === 'secret' ? 0 : 14 })))
    session.on('submit_sm', (pdu: NpmPdu) => session.send(pdu.response({ command_status: 0x0b })))
    session.on('unbind', (pdu: NpmPdu) => session.send(pdu.response()))
  })
  t.after(() => smsc.close())
  const client = await bound(t, smsc.port)
  await assert.rejects(client.send(messageFields({ source, destination })), { name: 'SmppRefused', status: status.invalidDestination })
  const { promise, resolve } = Promise.withResolvers<string>()
  const guesser = new SmppClient({
    clock,
    random: Math.random,
    connect: (signal) => connectSmpp({ host: '127.0.0.1', port: smsc.port, tls: false }, signal),
    bind: { systemId: 'offhook', password: 'wrong' },
    message: async () => ({ status: status.ok }),
    changed: (state) => !state.bound && resolve(state.why),
  })
  t.after(() => guesser.close())
  guesser.start()
  assert.match(await promise, /password is wrong/)
})

interface OwnSmsc {
  port: number
  sessions: SmppSession[]
}

const ownSmsc = async (
  t: TestContext,
  server: Server,
  arrival: 'connection' | 'secureConnection',
  message: SessionOptions['message'],
): Promise<OwnSmsc> => {
  const sessions: SmppSession[] = []
  server.on(arrival, (socket) => {
    const bind: SessionOptions['bind'] = async ({ password }) => ({
      status: password === 'secret' ? 0 : status.invalidPassword,
      systemId: 'OFFHOOK',
    })
    sessions.push(new SmppSession({ role: 'smsc', socket, clock, bind, message }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const session of sessions) session.destroy('the test is over')
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, sessions }
}

test('npm smpp as ESME: bind, submit, receipt, message, rejected commands, unbind', async (t) => {
  const taken: MessageRequest[] = []
  const smsc = await ownSmsc(
    t,
    createServer(),
    'connection',
    async (request) => (taken.push(request), { status: 0, messageId: `id-${taken.length}` }),
  )
  const outsider = await npmEsme(smsc.port)
  t.after(() => outsider.destroy())
  assert.equal((await ask(outsider, 'submit_sm', { destination_addr: '49', short_message: 'x' })).command_status, status.wrongBindState)
  assert.equal((await ask(outsider, 'bind_transceiver', { system_id: 'a', password: 'no' })).command_status, status.invalidPassword)

  const esme = await npmEsme(smsc.port)
  t.after(() => esme.destroy())
  const delivered: NpmPdu[] = []
  esme.on('deliver_sm', (pdu: NpmPdu) => (delivered.push(pdu), esme.send(pdu.response())))
  esme.on('enquire_link', (pdu: NpmPdu) => esme.send(pdu.response()))
  const answer = await ask(esme, 'bind_transceiver', { system_id: 'program', password: 'secret' })
  assert.equal(answer.system_id, 'OFFHOOK')
  assert.equal((await ask(esme, 'submit_sm', { destination_addr: '491701234567', short_message: 'Grüße, 5 €' })).message_id, 'id-1')
  assert.equal(readUserData(taken[0]!, 'gsm').text, 'Grüße, 5 €')
  assert.equal((await ask(esme, 'submit_sm', { destination_addr: '49170', short_message: 'Привет 😀' })).message_id, 'id-2')
  assert.equal(readUserData(taken[1]!).text, 'Привет 😀')
  assert.equal((await ask(esme, 'data_sm', { destination_addr: '49170', message_payload: 'payload' })).message_id, 'id-3')
  assert.equal((await ask(esme, 'query_sm', { message_id: 'id-1' })).command_status, status.queryFailed)
  assert.equal((await ask(esme, 'cancel_sm', { message_id: 'id-1' })).command_status, status.cancelFailed)
  assert.equal((await ask(esme, 'enquire_link', {})).command_status, 0)

  const ours = smsc.sessions[1]!
  const receipt = receiptFields({ id: 'id-1', state: 'UNDELIVERABLE', error: '27', submittedAt: 0, doneAt: 0 })
  await ours.send(messageFields({ source: destination, destination: source, ...receipt }))
  const text = writtenText('Antwort €')
  await ours.send(messageFields({ source: destination, destination: source, dataCoding: text.dataCoding, shortMessage: text.bytes }))
  assert.equal(delivered[0]!.receipted_message_id?.replace('\0', ''), 'id-1')
  assert.equal(delivered[0]!.message_state, 5)
  assert.match(textOf(delivered[0]!), /^id:id-1 .* stat:UNDELIV err:027 text:$/)
  assert.equal(textOf(delivered[1]!), 'Antwort €')
  assert.equal((await ask(esme, 'unbind', {})).command_status, 0)
  assert.equal(await ours.closed, 'The far end unbound')
})

test('TLS: requires a trusted certificate with the right name', async (t) => {
  const certificate = await makeCertificate()
  const smsc = await ownSmsc(t, createTlsServer({ cert: certificate.cert, key: certificate.key }), 'secureConnection', async () => ({
    status: 0,
    messageId: 'm',
  }))
  const never = new AbortController().signal
  const place = { host: '127.0.0.1', port: smsc.port, tls: true }
  await assert.rejects(connectSmpp(place, never), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  const client = await bound(t, smsc.port, { connect: (signal) => connectSmpp({ ...place, ca: certificate.cert }, signal) })
  assert.equal((await client.send(messageFields({ source, destination }))).messageId, 'm')
  const aborted = AbortSignal.abort()
  await assert.rejects(connectSmpp(place, aborted), /given up/)
})
