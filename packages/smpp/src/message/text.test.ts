import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writtenText } from '../testing/written-text.ts'
import { addressOf, messageFields, type MessageFields, readTime } from '../pdu/pdu.ts'
import { decodeGsm, decodeText } from './text-coding.ts'
import { plainId, readReceipt, receiptFields } from './receipt.ts'
import { concatenationHeader, readUserData } from './user-data.ts'

const nobody = { ton: 0, npi: 0, value: '' }
const message = (fields: Partial<MessageFields>): MessageFields => messageFields({ source: nobody, destination: nobody, ...fields })

test('GSM alphabet: round-trips every character; escapes take two septets', () => {
  const all = '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡AZÄÖÑÜ§¿azäöñüà\f^{}\\[~]|€'
  assert.equal(decodeGsm(writtenText(all).bytes), all)
  assert.deepEqual([...writtenText('a€@ß').bytes], [0x61, 0x1b, 0x65, 0x00, 0x1e])
})

test('GSM alphabet: decodes an unknown or trailing escape as a space', () => {
  assert.equal(decodeGsm(Uint8Array.of(0x1b, 0x61, 0x1b)), ' a ')
  assert.equal(decodeGsm(Uint8Array.of(0x80 | 0x41)), 'A')
})

test('decodes text by its data coding', () => {
  assert.equal(decodeText(0, writtenText('für 5 €').bytes), 'für 5 €')
  assert.equal(decodeText(8, writtenText('Привет 😀').bytes), 'Привет 😀')
  assert.equal(decodeText(8, Uint8Array.of(0, 65, 0)), 'A')
  assert.equal(decodeText(3, Uint8Array.of(0xe4)), 'ä')
  assert.equal(decodeText(1, Buffer.from('[a_b@c] ~')), '[a_b@c] ~')
  assert.equal(decodeText(1, writtenText('für').bytes), 'f~r')
  assert.equal(decodeText(1, writtenText('für').bytes, 'gsm'), 'für')
  assert.equal(decodeText(1, writtenText('für 5 €').bytes), 'für 5 €', 'ASCII has no escape')
  assert.equal(decodeText(6, Uint8Array.of(0xbf)), 'П')
  assert.equal(decodeText(0xf0, Uint8Array.of(0)), '@')
  assert.equal(decodeText(0x18, Uint8Array.of(0x20, 0xac)), '€')
  for (const binary of [2, 4, 0x14, 0xf5, 0x30]) assert.equal(decodeText(binary, Uint8Array.of(1)), undefined)
})

test('rejoins a surrogate pair split between two parts', () => {
  const { bytes } = writtenText('😀')
  assert.equal(`${decodeText(8, bytes.subarray(0, 2))}${decodeText(8, bytes.subarray(2))}`, '😀')
})

test('parses parts by header, by wide header, by sar parameters', () => {
  const of = { reference: 200, total: 3, number: 2 }
  const shortMessage = Buffer.concat([concatenationHeader(of), writtenText('part').bytes])
  assert.deepEqual(readUserData(message({ esmClass: 0x43, shortMessage })).of, of)
  assert.equal(readUserData(message({ esmClass: 0x43, shortMessage })).text, 'part')
  const wide = Buffer.concat([Buffer.from('0608040102030a', 'hex'), writtenText('x').bytes])
  assert.equal(readUserData(message({ esmClass: 0x40, shortMessage: wide })).of, undefined, 'part 10 of 3 cannot be')
  wide[6] = 3
  assert.deepEqual(readUserData(message({ esmClass: 0x40, shortMessage: wide })).of, { reference: 258, total: 3, number: 3 })
  const tlvs = { sarReference: 9, sarTotal: 2, sarNumber: 1, messagePayload: writtenText('long').bytes }
  assert.deepEqual(readUserData(message({ tlvs })).of, { reference: 9, total: 2, number: 1 })
  assert.equal(readUserData(message({ tlvs })).text, 'long')
  const alone = Buffer.concat([concatenationHeader({ reference: 1, total: 1, number: 1 }), writtenText('x').bytes])
  assert.equal(readUserData(message({ esmClass: 0x40, shortMessage: alone })).of, undefined)
})

test('keeps a message with a broken user data header whole; marks one with a port as for an application', () => {
  for (const broken of ['ff6162', '0300056162', '', '020003']) {
    const shortMessage = Buffer.from(broken, 'hex')
    assert.equal(readUserData(message({ esmClass: 0x40, shortMessage, dataCoding: 4 })).bytes.length, shortMessage.length)
  }
  const push = Buffer.from('0605040b8423f001', 'hex')
  assert.equal(readUserData(message({ esmClass: 0x40, shortMessage: push, dataCoding: 4 })).port, 2948)
})

test('parses receipts: bits of esm_class, parameters before words, texts of any vendor', () => {
  const text = (words: string, fields: Partial<MessageFields> = {}): MessageFields =>
    message({ esmClass: 4, shortMessage: Buffer.from(words), ...fields })
  const usual = 'id:0a1b sub:001 dlvrd:001 submit date:2611150130 done date:2611150131 stat:DELIVRD err:000 text:id:9 stat:REJECTD'
  assert.deepEqual(readReceipt(text(usual)), { id: '0a1b', state: 'DELIVERED', error: '' })
  assert.deepEqual(readReceipt(text('ID:7 STAT:UNDELIVERABLE ERR:03A Text:')), { id: '7', state: 'UNDELIVERABLE', error: '03A' })
  assert.deepEqual(readReceipt(text('id:7 stat:SOMETHING err:5')), { id: '7', state: 'UNKNOWN', error: '5' })
  const tlvs = { receiptedMessageId: 'real', messageState: 8, networkErrorCode: Buffer.from([3, 1, 2]) }
  assert.deepEqual(readReceipt(text(usual, { esmClass: 0x07, tlvs })), { id: 'real', state: 'REJECTED', error: '258' })
  assert.equal(readReceipt(text('', { esmClass: 0x20, tlvs: { receiptedMessageId: 'x', messageState: 1 } }))?.state, 'ENROUTE')
  assert.equal(readReceipt(text(usual, { esmClass: 0 })), undefined, 'a person may write such a text')
  assert.equal(readReceipt(text('nothing in it')), undefined)
  assert.equal(readReceipt(text('id:msg_id@1 stat:DELIVRD'))?.id, 'msg_id@1')
  assert.equal(readReceipt(text('', { shortMessage: writtenText('id:msg_id@1 stat:DELIVRD').bytes }))?.id, 'msg_id@1')
})

test('parses our own receipts', () => {
  for (const state of ['ENROUTE', 'DELIVERED', 'EXPIRED', 'UNDELIVERABLE', 'REJECTED', 'UNKNOWN'] as const) {
    const written = receiptFields({
      id: 'm-1',
      state,
      error: '7',
      submittedAt: Date.UTC(2026, 10, 15, 1, 2),
      doneAt: Date.UTC(2026, 10, 15, 3, 4),
    })
    assert.deepEqual(readReceipt(message(written)), { id: 'm-1', state, error: '007' })
    assert.deepEqual(readReceipt(message({ ...written, tlvs: {} })), { id: 'm-1', state, error: '007' })
    assert.match(Buffer.from(written.shortMessage).toString(), /submit date:2611150102 done date:2611150304/)
  }
})

test('compares ids in hex and in decimal', () => {
  assert.equal(plainId('0A1B', 'hex'), plainId('2587', 'decimal'))
  assert.equal(plainId('not hex', 'hex'), 'not hex')
  assert.equal(plainId('0A1B', 'text'), '0A1B')
})

test('parses times: absolute with offset, spans, and rejects invalid ones', () => {
  const now = Date.UTC(2026, 10, 15, 12)
  assert.equal(readTime('261115130000004+', now), now)
  assert.equal(readTime('261115070000020-', now), now)
  assert.equal(readTime('000001020304000R', now), now + ((24 + 2) * 3600 + 3 * 60 + 4) * 1000)
  assert.equal(readTime('261115120000100+', now), now + 100)
  for (const wrong of ['', '261315130000000+', '2611151300', '261115130000000X']) assert.equal(readTime(wrong, now), undefined)
})

test('classifies addresses', () => {
  assert.deepEqual(addressOf('+491701234567'), { ton: 1, npi: 1, value: '491701234567' })
  assert.deepEqual(addressOf('72333'), { ton: 3, npi: 0, value: '72333' })
  assert.deepEqual(addressOf('Offhook'), { ton: 5, npi: 0, value: 'Offhook' })
})
