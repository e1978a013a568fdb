import assert from 'node:assert/strict'
import { duplexPair } from 'node:stream'
import { test } from 'node:test'
import { byHand, openSession, settle, smppAddress, smppMessage, smppPair } from '../testing/smpp-sessions.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { encodePdu } from '../pdu/encode.ts'
import type { MessageRequest } from '../pdu/pdu.ts'
import type { MessageReply } from './session-options.ts'
import { SmppNotSent, SmppUnanswered } from '../pdu/smpp-error.ts'
import { status } from '../pdu/status.ts'

const unbound = {
  systemId: 'someone',
  password: 'secret',
  systemType: '',
  interfaceVersion: 0x34,
  addressTon: 0,
  addressNpi: 0,
  addressRange: '',
}

test('both roles: binds, submits, delivers, unbinds', async (t) => {
  const [submitted, delivered]: [MessageRequest[], MessageRequest[]] = [[], []]
  const { esme, smsc, clock } = await smppPair(
    t,
    { message: async (request) => (delivered.push(request), { status: status.ok }) },
    { message: async (request) => (submitted.push(request), { status: status.ok, messageId: `id-${submitted.length}` }) },
  )
  assert.deepEqual([esme.bound, smsc.bound], ['bind_transceiver', 'bind_transceiver'])
  assert.equal((await esme.send(smppMessage('one'))).messageId, 'id-1')
  assert.equal((await smsc.send(smppMessage('two'))).messageId, '')
  assert.equal(Buffer.from(submitted[0]!.shortMessage).toString(), 'one')
  assert.equal(delivered[0]!.command, 'deliver_sm')
  await esme.unbind()
  assert.equal(await smsc.closed, 'The far end unbound')
  await assert.rejects(smsc.send(smppMessage()), SmppNotSent)
  await esme.unbind()
  assert.equal(clock.pending(), 0)
})

test('rejects a wrong password and closes the connection; binds once', async (t) => {
  const clock = new VirtualClock(0)
  const [here, there] = duplexPair()
  const smsc = openSession(t, there, {
    role: 'smsc',
    clock,
    bind: async ({ password }) => ({ status: password === 'right' ? 0 : status.invalidPassword }),
  })
  const esme = openSession(t, here, { role: 'esme', clock })
  await assert.rejects(esme.bind({ systemId: 'a', password: 'wrong' }), { name: 'SmppRefused', status: status.invalidPassword })
  assert.equal(await smsc.closed, 'It was not let in')
  assert.equal(smsc.bound, undefined)
  await esme.closed
  await assert.rejects(esme.bind({ systemId: 'a', password: 'right' }), SmppNotSent)
})

test('SMSC: accepts only a bind first, and only once', async (t) => {
  const { say, received, session } = byHand(t, { role: 'smsc', bind: async () => ({ status: 0 }) })
  say({ ...smppMessage(), command: 'submit_sm', sequence: 1 })
  say({ command: 'enquire_link', sequence: 2 })
  say({ command: 'bind_transmitter', sequence: 3, ...unbound })
  await settle()
  say({ command: 'bind_transmitter', sequence: 4, ...unbound })
  say({ ...smppMessage(), command: 'deliver_sm', sequence: 5 })
  say({ ...smppMessage(), command: 'submit_sm', sequence: 6 })
  await settle()
  const seen = received.map((pdu) => [pdu.command, 'status' in pdu ? pdu.status : -1, pdu.sequence])
  assert.deepEqual(seen, [
    ['submit_sm_resp', status.wrongBindState, 1],
    ['enquire_link_resp', 0, 2],
    ['bind_transmitter_resp', 0, 3],
    ['bind_transmitter_resp', status.alreadyBound, 4],
    ['deliver_sm_resp', status.wrongBindState, 5],
    ['submit_sm_resp', 0, 6],
  ])
  await assert.rejects(session.send(smppMessage()), SmppNotSent, 'a transmitter gets nothing')
})

test('SMSC: closes a connection that does not bind', async (t) => {
  const { clock, session } = byHand(t, { role: 'smsc', bind: async () => ({ status: 0 }) })
  await clock.advance(9_999)
  await clock.advance(2_001)
  assert.match(await session.closed, /No bind within/)
})

test('SMSC: allows only small PDUs before the bind', async (t) => {
  const { say, received, session, clock } = byHand(t, { role: 'smsc', bind: async () => ({ status: 0 }) })
  const long = Buffer.alloc(4)
  long.writeUInt32BE(1_025)
  say(long)
  await settle()
  assert.deepEqual(received[0], { command: 'generic_nack', status: status.invalidCommandLength, sequence: 0 })
  await clock.advance(2_000)
  assert.match(await session.closed, /1025 octets/)
})

test('rejects unsupported commands with their status; unknown or broken ones do not end the session', async (t) => {
  const { say, received, bind } = byHand(t)
  await bind()
  for (const [sequence, command] of (
    ['query_sm', 'cancel_sm', 'replace_sm', 'submit_multi', 'alert_notification', 'outbind'] as const
  ).entries()) {
    say({ command, sequence })
  }
  say(Buffer.from('00000010000077770000000000000063', 'hex'))
  say(Buffer.from('00000010800077770000000000000063', 'hex'))
  say(Buffer.from('0000001400000005000000000000006400010141', 'hex'))
  say({ command: 'enquire_link', sequence: 101 })
  await settle()
  assert.deepEqual(
    received.map((pdu) => `${pdu.command} ${'status' in pdu ? pdu.status : ''} ${pdu.sequence}`),
    [
      `query_sm_resp ${status.queryFailed} 0`,
      `cancel_sm_resp ${status.cancelFailed} 1`,
      `replace_sm_resp ${status.replaceFailed} 2`,
      `submit_multi_resp ${status.invalidCommand} 3`,
      `generic_nack ${status.invalidCommand} 99`,
      `deliver_sm_resp ${status.invalidSource} 100`,
      'enquire_link_resp 0 101',
    ],
  )
})

test('accepts a message right after the bind response', async (t) => {
  const taken: string[] = []
  const { say, session, received } = byHand(t, { message: async ({ shortMessage }) => (taken.push(String(shortMessage)), { status: 0 }) })
  const bound = session.bind({ systemId: 'a', password: 'b' })
  await settle()
  const answer = encodePdu({ command: 'bind_transceiver_resp', status: 0, sequence: received[0]!.sequence, systemId: 'S', tlvs: {} })
  say(Buffer.concat([answer, encodePdu({ ...smppMessage('early'), command: 'deliver_sm', sequence: 1 })]))
  await bound
  await settle()
  assert.deepEqual(taken, ['early'])
})

test('unbind: rejects queued messages, waits for the responses to sent ones', async (t) => {
  let finish = (): void => {}
  const { esme, smsc } = await smppPair(
    t,
    { window: 1 },
    { message: () => new Promise((resolve) => (finish = () => resolve({ status: 0, messageId: 'done' }))) },
  )
  const [first, second] = [esme.send(smppMessage()), assert.rejects(esme.send(smppMessage()), SmppNotSent)]
  await settle()
  const left = esme.unbind()
  await second
  await assert.rejects(esme.send(smppMessage()), SmppNotSent)
  finish()
  assert.equal((await first).messageId, 'done')
  await left
  assert.equal(await smsc.closed, 'The far end unbound')
})

test('answers pending messages before the response to an unbind', async (t) => {
  let finish = (): void => {}
  const work = (): Promise<MessageReply> => new Promise((resolve) => (finish = () => resolve({ status: 0, messageId: 'done' })))
  const { say, received, session, there } = byHand(t, { role: 'smsc', bind: async () => ({ status: 0 }), message: work })
  say({ command: 'bind_transceiver', sequence: 1, ...unbound })
  await settle()
  say({ ...smppMessage(), command: 'submit_sm', sequence: 2 })
  say({ command: 'unbind', sequence: 3 })
  say({ ...smppMessage(), command: 'submit_sm', sequence: 4 })
  await settle()
  finish()
  await settle()
  assert.deepEqual(
    received.map(({ command, sequence }) => `${command} ${sequence}`),
    ['bind_transceiver_resp 1', 'submit_sm_resp 4', 'submit_sm_resp 2', 'unbind_resp 3'],
  )
  there.end()
  await session.closed
})

test('unbinds from an unresponsive far end within the response timeout', async (t) => {
  const { session, bind, clock } = byHand(t)
  await bind()
  const lost = assert.rejects(session.send(smppMessage()), SmppUnanswered)
  const left = session.unbind()
  await clock.advance(22_000)
  await Promise.all([lost, left])
  assert.equal(clock.pending(), 0)
})

test('rejects an unencodable field before sending', async (t) => {
  const { session, bind, received } = byHand(t)
  await bind()
  await assert.rejects(session.send({ ...smppMessage(), source: { ...smppAddress, value: 'a name that is too long for it' } }), {
    name: 'SmppRefused',
    status: status.invalidSource,
  })
  await settle()
  assert.equal(received.length, 0)
})
