// test: chance
import assert from 'node:assert/strict'
import { duplexPair } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { writtenText } from '../testing/written-text.ts'
import { decodePdu } from '../pdu/decode.ts'
import { encodePdu } from '../pdu/encode.ts'
import { PduFramer } from '../pdu/framing.ts'
import { decodeGsm } from '../message/text-coding.ts'
import { messageFields } from '../pdu/pdu.ts'
import type { Pdu } from '../pdu/pdu.ts'
import { readReceipt } from '../message/receipt.ts'
import { SmppSession } from './session.ts'
import type { SmppRole } from './session-options.ts'
import { SmppError } from '../pdu/smpp-error.ts'
import { concatenationHeader, readUserData } from '../message/user-data.ts'

/** Deterministic per seed. */
const randomOf = (seed: number) => (): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

/** Hostile input, mutated from valid input by seed. FUZZ multiplies the rounds. */
const rounds = (count: number): number => count * Number(process.env['FUZZ'] ?? 1)
const interesting = [0, 1, 2, 4, 0x10, 0x7f, 0x80, 0xff, 0xfe, 0x40]

const address = { ton: 1, npi: 1, value: '491701234567' }
const receipt = 'id:0a1b sub:001 dlvrd:001 submit date:2611150130 done date:2611150131 stat:DELIVRD err:000 text:abc'
const tlvs = {
  receiptedMessageId: 'abc',
  messageState: 2,
  sarReference: 3,
  sarTotal: 2,
  sarNumber: 1,
  networkErrorCode: Buffer.of(3, 0, 1),
}
const part = Buffer.concat([concatenationHeader({ reference: 1, total: 2, number: 1 }), writtenText('Привет 😀').bytes])
const plain = messageFields({ source: address, destination: address })
const bind = { password: 'secret', systemType: '', interfaceVersion: 0x34, addressTon: 0, addressNpi: 0, addressRange: '' }

const good: Buffer[] = (
  [
    { command: 'bind_transceiver', sequence: 1, systemId: 'someone', ...bind },
    { command: 'bind_transceiver_resp', status: 0, sequence: 1, systemId: 'SMSC', tlvs: { scInterfaceVersion: 0x34 } },
    { ...plain, command: 'submit_sm', sequence: 2, esmClass: 0x40, dataCoding: 8, shortMessage: part, tlvs: { userMessageReference: 1 } },
    { ...plain, command: 'deliver_sm', sequence: 3, esmClass: 4, shortMessage: Buffer.from(receipt), tlvs },
    { ...plain, command: 'data_sm', sequence: 4, tlvs: { messagePayload: Buffer.alloc(300, 0x1b) } },
    { command: 'submit_sm_resp', status: 0, sequence: 5, messageId: 'abc', tlvs: {} },
    { command: 'enquire_link', sequence: 6 },
    { command: 'generic_nack', status: 3, sequence: 7 },
    { command: 'query_sm', sequence: 8 },
  ] satisfies Pdu[]
).map(encodePdu)

const mutate = (random: () => number): Buffer => {
  const from = good[Math.floor(random() * good.length)]!
  const bytes = Buffer.from(from.subarray(0, random() < 0.2 ? 16 + Math.floor(random() * (from.length - 15)) : from.length))
  for (let changes = Math.floor(random() * 5); changes > 0; changes--) {
    // Mostly after the header: errors in the header are found immediately.
    const at = random() < 0.1 ? Math.floor(random() * 16) : 16 + Math.floor(random() * (bytes.length - 16))
    if (at < bytes.length) bytes[at] = random() < 0.5 ? interesting[Math.floor(random() * interesting.length)]! : random() * 256
  }
  return bytes
}

const orSmppError = <Result>(act: () => Result): Result | undefined => {
  try {
    return act()
  } catch (error) {
    assert.ok(error instanceof SmppError, String(error))
    return undefined
  }
}

test('decodes or rejects any PDU; re-encodes a decoded one to the same content', () => {
  const random = randomOf(71)
  let decoded = 0
  for (let i = 0; i < rounds(30_000); i++) {
    const pdu = orSmppError(() => decodePdu(mutate(random)))
    if (!pdu) continue
    decoded++
    if ('shortMessage' in pdu) {
      const { bytes, of } = readUserData(pdu)
      assert.ok(bytes.length <= 300 && (!of || (of.number >= 1 && of.number <= of.total && of.total <= 255)))
      assert.notEqual(readReceipt(pdu)?.id, '')
    }
    const again = orSmppError(() => encodePdu(pdu))
    if (again) assert.equal(again.compare(encodePdu(decodePdu(again))), 0)
  }
  assert.ok(decoded > rounds(10_000), `${decoded} were good`)
})

test('frames any octets in any chunks: complete PDUs within the limit, or an end', () => {
  const random = randomOf(72)
  for (let i = 0; i < rounds(2_000); i++) {
    const stream = Buffer.concat(Array.from({ length: 5 }, () => mutate(random)))
    const framer = new PduFramer(1_024)
    let [taken, alive] = [0, true]
    for (let at = 0; at < stream.length && alive;) {
      const size = 1 + Math.floor(random() * (random() < 0.3 ? 4 : 600))
      framer.push(stream.subarray(at, at + size))
      at += size
      alive =
        orSmppError(() => {
          for (let pdu = framer.next(); pdu; pdu = framer.next()) {
            assert.ok(pdu.length >= 16 && pdu.length <= 1_024)
            assert.equal(pdu.compare(stream, taken, taken + pdu.length), 0)
            taken += pdu.length
          }
          return true
        }) ?? false
    }
  }
})

test('decodes any septets to text and round-trips text of the alphabet', () => {
  const random = randomOf(73)
  for (let i = 0; i < rounds(5_000); i++) {
    const text = decodeGsm(Uint8Array.from({ length: 40 }, () => random() * 256))
    assert.equal(decodeGsm(writtenText(text).bytes), text)
  }
})

const hostile = async (role: SmppRole, seed: number): Promise<void> => {
  const random = randomOf(seed)
  const clock = new VirtualClock(0)
  const [here, there] = duplexPair()
  const faults: unknown[] = []
  const session = new SmppSession({
    role,
    socket: here,
    clock,
    ...(role === 'smsc' && { bind: async () => ({ status: random() < 0.7 ? 0 : 14 }) }),
    message: async (request) => (readUserData(request), readReceipt(request), { status: 0, messageId: 'x' }),
    fault: (error) => faults.push(error),
  })
  if (role === 'esme') void session.bind({ systemId: 'a', password: 'b' }).catch(() => {})
  const answers: Pdu[] = []
  const framer = new PduFramer()
  there.on('data', (chunk: Buffer) => {
    framer.push(chunk)
    for (let pdu = framer.next(); pdu; pdu = framer.next()) answers.push(decodePdu(pdu))
  })
  there.on('error', () => {})
  for (let i = 0; i < 20; i++) {
    if (session.bound !== undefined && random() < 0.3) void session.send(plain).catch(() => {})
    const bytes = mutate(random)
    const cut = Math.floor(random() * bytes.length)
    // A wrong length would only absorb the rest of the stream.
    if (random() < 0.95) bytes.writeUInt32BE(bytes.length)
    there.write(bytes.subarray(0, cut))
    there.write(bytes.subarray(cut))
    if (random() < 0.5) await setImmediate()
  }
  await clock.advance(0)
  assert.deepEqual(faults, [])
  session.destroy('enough')
  await session.closed
  assert.equal(clock.pending(), 0)
}

test('survives a hostile far end in either role: no fault, no unreadable response, no timer left', async () => {
  for (let seed = 1; seed <= rounds(150); seed++) {
    await hostile('smsc', seed)
    await hostile('esme', seed + 100_000)
  }
})
