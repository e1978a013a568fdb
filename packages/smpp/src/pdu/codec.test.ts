import assert from 'node:assert/strict'
import { test } from 'node:test'
import { npmSmpp } from '../testing/npm-smpp.ts'
import { decodePdu } from './decode.ts'
import { encodePdu } from './encode.ts'
import { PduFramer } from './framing.ts'
import { limits } from './octets.ts'
import { messageFields } from './pdu.ts'
import type { MessageRequest, Pdu } from './pdu.ts'
import { SmppError } from './smpp-error.ts'
import { status } from './status.ts'

const source = { ton: 5, npi: 0, value: 'Offhook' }
const destination = { ton: 1, npi: 1, value: '491701234567' }
const bind = { password: 'secret', systemType: 'VMA', interfaceVersion: 0x34, addressTon: 1, addressNpi: 1, addressRange: '49*' }

const submit: MessageRequest = {
  ...messageFields({
    source,
    destination,
    serviceType: 'CMT',
    esmClass: 0x40,
    protocolId: 1,
    priority: 2,
    scheduleTime: '261115120000000+',
    validityPeriod: '000001000000000R',
    registeredDelivery: 1,
    replaceIfPresent: 1,
    dataCoding: 8,
    defaultMessageId: 3,
    shortMessage: Buffer.from([5, 0, 3, 7, 2, 1, 0, 0x41]),
    tlvs: { userMessageReference: 513, sarTotal: 4, receiptedMessageId: 'abc', networkErrorCode: Buffer.from([3, 0, 7]) },
  }),
  command: 'submit_sm',
  sequence: 4711,
}

const all: Pdu[] = [
  { command: 'bind_transceiver', sequence: 1, systemId: 'someone', ...bind },
  { command: 'bind_receiver', sequence: 2, systemId: '', ...bind },
  { command: 'bind_transmitter_resp', sequence: 3, status: 0, systemId: 'SMSC', tlvs: { scInterfaceVersion: 0x34 } },
  { command: 'bind_transceiver_resp', sequence: 4, status: status.invalidPassword, systemId: '', tlvs: {} },
  submit,
  { ...submit, command: 'deliver_sm', tlvs: { messageState: 2, messagePayload: Buffer.alloc(5_000, 65) } },
  { ...messageFields({ source, destination, esmClass: 4, dataCoding: 8, tlvs: { sourcePort: 65_535 } }), command: 'data_sm', sequence: 6 },
  { command: 'submit_sm_resp', sequence: 0x7fffffff, status: 0, messageId: '00ff', tlvs: {} },
  { command: 'submit_sm_resp', sequence: 7, status: status.throttled, messageId: '', tlvs: {} },
  { command: 'deliver_sm_resp', sequence: 8, status: status.receiverLater, messageId: '', tlvs: {} },
  { command: 'enquire_link', sequence: 9 },
  { command: 'unbind_resp', sequence: 10, status: 0 },
  { command: 'cancel_sm', sequence: 11 },
  { command: 'generic_nack', sequence: 12, status: status.invalidCommand },
]

test('round-trips every PDU', () => {
  for (const pdu of all) assert.deepEqual(plain(decodePdu(encodePdu(pdu))), plain(pdu), pdu.command)
})

/** Buffers and Uint8Arrays with the same octets are equal. */
const plain = (pdu: Pdu): unknown => JSON.parse(JSON.stringify(pdu, (_, value) => (value instanceof Uint8Array ? [...value] : value)))

test('npm smpp reads and writes the same octets', () => {
  const theirs = new npmSmpp.PDU('submit_sm', {
    sequence_number: 4711,
    service_type: 'CMT',
    source_addr_ton: 5,
    source_addr: 'Offhook',
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: '491701234567',
    esm_class: 0x40,
    protocol_id: 1,
    priority_flag: 2,
    schedule_delivery_time: '261115120000000+',
    validity_period: '000001000000000R',
    registered_delivery: 1,
    replace_if_present_flag: 1,
    data_coding: 8,
    sm_default_msg_id: 3,
    short_message: Buffer.from([5, 0, 3, 7, 2, 1, 0, 0x41]),
    user_message_reference: 513,
    sar_total_segments: 4,
    receipted_message_id: 'abc',
    network_error_code: Buffer.from([3, 0, 7]),
  })
  assert.equal(encodePdu(submit).toString('hex'), theirs.toBuffer().toString('hex'))
  for (const pdu of all) {
    const read = new npmSmpp.PDU(encodePdu(pdu))
    assert.equal(read.command, pdu.command)
    assert.equal(read.sequence_number, pdu.sequence)
  }
})

const statusOf = (act: () => unknown): number => {
  try {
    act()
  } catch (error) {
    if (error instanceof SmppError) return error.status
    throw error
  }
  return status.ok
}

test('names a too long field, or one with a zero, by its status', () => {
  const submitWith = (fields: Partial<MessageRequest>) => (): Buffer => encodePdu({ ...submit, ...fields })
  assert.equal(statusOf(submitWith({ source: { ...source, value: 'x'.repeat(21) } })), status.invalidSource)
  assert.equal(statusOf(submitWith({ destination: { ...destination, value: '49\u000017' } })), status.invalidDestination)
  assert.equal(statusOf(submitWith({ source: { ...source, value: 'Łódź' } })), status.invalidSource)
  assert.equal(statusOf(submitWith({ shortMessage: Buffer.alloc(255) })), status.invalidMessageLength)
  assert.equal(statusOf(submitWith({ serviceType: 'TOOLONG' })), status.invalidServiceType)
})

test('rejects a truncated command with its status', () => {
  const whole = encodePdu({ ...submit, tlvs: {} })
  const cut = (to: number): Buffer => whole.subarray(0, to)
  assert.equal(
    statusOf(() => decodePdu(cut(16))),
    status.invalidServiceType,
  )
  assert.equal(
    statusOf(() => decodePdu(cut(24))),
    status.invalidSource,
  )
  assert.equal(
    statusOf(() => decodePdu(cut(whole.length - 1))),
    status.invalidMessageLength,
  )
  assert.equal(
    statusOf(() => decodePdu(whole)),
    status.ok,
  )
  const withTlv = encodePdu(submit)
  const optional = (pdu: Buffer): number => statusOf(() => decodePdu(pdu))
  assert.equal(optional(withTlv.subarray(0, withTlv.length - 1)), status.invalidOptionalPart)
  assert.equal(optional(Buffer.concat([whole, Buffer.of(0, 7)])), status.invalidOptionalPart)
  assert.equal(optional(Buffer.concat([whole, Buffer.of(0)])), status.ok, 'a zero too many')
})

test('skips unknown optional parameters and accepts numbers of unusual width', () => {
  const tail = Buffer.from('1501000201020427000400000005001e000161', 'hex')
  const pdu = Buffer.concat([encodePdu({ ...submit, tlvs: {} }), tail])
  assert.deepEqual((decodePdu(pdu) as MessageRequest).tlvs, { messageState: 5, receiptedMessageId: 'a' })
})

test('accepts a response with a missing or broken body', () => {
  const head = Buffer.from('00000010800000040000000000000005', 'hex')
  assert.equal((decodePdu(head) as { messageId: string }).messageId, '')
  assert.equal((decodePdu(Buffer.concat([head, Buffer.from('id without end')])) as { messageId: string }).messageId, 'id without end')
  assert.equal((decodePdu(Buffer.concat([head, Buffer.from('id\0\x01')])) as { messageId: string }).messageId, 'id')
})

test('framer: handles PDUs in any chunks, stable views, and impossible lengths', () => {
  const stream = Buffer.concat(Array.from({ length: 50 }, (_, sequence) => encodePdu({ ...submit, sequence })))
  for (const crumb of [1, 3, 15, 16, 17, 100, 4_096]) {
    const framer = new PduFramer()
    const found: Buffer[] = []
    for (let at = 0; at < stream.length; at += crumb) {
      framer.push(stream.subarray(at, at + crumb))
      for (let pdu = framer.next(); pdu; pdu = framer.next()) found.push(pdu)
    }
    assert.equal(Buffer.concat(found).compare(stream), 0)
    assert.equal(found.length, 50)
  }
  for (const length of [0, 15, limits.pduBytes + 1, 0xffffffff]) {
    const framer = new PduFramer()
    const four = Buffer.alloc(4)
    four.writeUInt32BE(length)
    framer.push(four)
    assert.throws(() => framer.next(), SmppError)
  }
})
