import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AesCounter, deriveKey, Srtp } from './srtp.ts'
import { writeRtpHeader } from './rtp.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const masterKey = hex('E1F97A0D3E018BE0D64FA32C06DE4139')
const masterSalt = hex('0EC675AD498AFEEBB6960B3AABE6')
const key = Buffer.concat([masterKey, masterSalt])
const suites = ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32'] as const

const rtp = (sequence: number, ssrc = 7, payload = 160): { packet: Uint8Array; length: number } => {
  const packet = new Uint8Array(12 + payload + 14)
  writeRtpHeader(packet, 8, false, sequence, sequence * 160, ssrc)
  for (let i = 0; i < payload; i++) packet[12 + i] = i + sequence
  return { packet, length: 12 + payload }
}

const send = (srtp: Srtp, sequence: number, ssrc = 7): Uint8Array => {
  const { packet, length } = rtp(sequence, ssrc)
  return packet.slice(0, srtp.protect(packet, length))
}

/** Decrypted packet, or undefined when it was rejected. */
const hear = (srtp: Srtp, sent: Uint8Array): Uint8Array | undefined => {
  const copy = sent.slice()
  const length = srtp.unprotect(copy, copy.length)
  return length < 0 ? undefined : copy.slice(0, length)
}

test('matches the keystream of RFC 3711 B.2', () => {
  const cipher = new AesCounter(hex('2B7E151628AED2A6ABF7158809CF4F3C'), hex('F0F1F2F3F4F5F6F7F8F9FAFBFCFD'))
  const bytes = new Uint8Array(48)
  assert.equal(cipher.apply(bytes, 0, 48, 0, 0, 0), true)
  const expected = 'E03EAD0935C95E80E166B16DD92B4EB4 D23513162B02D0F72A43A2FE4A5F97AB 41E95B3BB0A2E8DD477901E4FCA894C0'
  assert.deepEqual(Buffer.from(bytes), hex(expected))
  assert.equal(cipher.apply(new Uint8Array(2000), 0, 2000, 0, 0, 0), false)
})

test('derives the keys of RFC 3711 B.3', () => {
  assert.deepEqual(Buffer.from(deriveKey(masterKey, masterSalt, 0, 16)), hex('C61E7A93744F39EE10734AFE3FF7A087'))
  assert.deepEqual(Buffer.from(deriveKey(masterKey, masterSalt, 2, 14)), hex('30CBBC08863D8C85D49DB34A9AE1'))
  const authentication = 'CEBE321F6FF7716B6FD4AB49AF256A156D38BAA48F0A0ACF3C34E2359E6CDBCEE049646C43D9327AD175578EF7227098'
  assert.deepEqual(Buffer.from(deriveKey(masterKey, masterSalt, 1, 48)), hex(authentication))
})

test('protects RTP and RTCP packets like other implementations', () => {
  const packet = new Uint8Array(60)
  packet.set(hex(`800f1234decafbadcafebabe${'ab'.repeat(16)}`))
  assert.equal(new Srtp(key, 'AES_CM_128_HMAC_SHA1_80').protect(packet, 28), 38)
  assert.equal(
    Buffer.from(packet.subarray(0, 38)).toString('hex'),
    '800f1234decafbadcafebabe4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea179b8dbb',
  )
  packet.set(hex(`81c8000bcafebabe${'ab'.repeat(16)}`))
  assert.equal(new Srtp(key, 'AES_CM_128_HMAC_SHA1_80').protectRtcp(packet, 24), 38)
  assert.equal(
    Buffer.from(packet.subarray(0, 38)).toString('hex'),
    '81c8000bcafebabe7128035be487b9bdbef89041f977a5a880000001993e08cd54d6c1230798',
  )
})

for (const suite of suites) {
  test(`${suite}: unprotects packets of the other side`, () => {
    const [ours, theirs] = [new Srtp(key, suite), new Srtp(key, suite)]
    for (let sequence = 0; sequence < 200; sequence++) {
      const sent = send(ours, sequence)
      assert.equal(sent.length, 172 + (suite.endsWith('80') ? 10 : 4))
      const plain = rtp(sequence)
      assert.notDeepEqual(sent.slice(12, 172), plain.packet.slice(12, 172))
      assert.deepEqual(hear(theirs, sent), plain.packet.slice(0, plain.length))
    }
  })

  test(`${suite}: rejects every changed bit, and the stream continues`, () => {
    const [ours, theirs] = [new Srtp(key, suite), new Srtp(key, suite)]
    const sent = send(ours, 1)
    for (let bit = 0; bit < sent.length * 8; bit++) {
      const changed = sent.slice()
      changed[bit >> 3]! ^= 1 << (bit & 7)
      assert.equal(hear(theirs, changed), undefined, `bit ${bit}`)
    }
    for (let length = 0; length < sent.length; length++) assert.equal(hear(theirs, sent.slice(0, length)), undefined)
    assert.ok(hear(theirs, sent))
    assert.ok(theirs.packetsForged > 1000)
    assert.equal(
      hear(
        new Srtp(
          key.map((byte) => byte ^ 1),
          suite,
        ),
        sent,
      ),
      undefined,
      'another key',
    )
  })

  test(`${suite}: RTCP works both ways and rejects replays`, () => {
    const [ours, theirs] = [new Srtp(key, suite), new Srtp(key, suite)]
    for (let i = 0; i < 70; i++) {
      const packet = new Uint8Array(100)
      packet.set([0x81, 200, 0, 12, 0, 0, 0, 9, i])
      const plain = packet.slice(0, 52)
      const length = ours.protectRtcp(packet, 52)
      assert.equal(length, 66)
      const again = packet.slice()
      assert.equal(theirs.unprotectRtcp(packet, length), 52)
      assert.deepEqual(packet.slice(0, 52), plain)
      assert.equal(theirs.unprotectRtcp(again.slice(), length), -1, 'twice')
      again[30]! ^= 1
      assert.equal(new Srtp(key, suite).unprotectRtcp(again, length), -1)
    }
    for (let length = 0; length < 30; length++) assert.equal(theirs.unprotectRtcp(new Uint8Array(length), length), -1)
  })
}

test('the sequence wraps twice', () => {
  const [ours, theirs] = [new Srtp(key, suites[0]), new Srtp(key, suites[0])]
  for (let index = 65_000; index < 205_000; index += 50) assert.ok(hear(theirs, send(ours, index & 0xffff)), `${index}`)
})

test('accepts a reordered packet across the wrap of the sequence', () => {
  const [ours, theirs] = [new Srtp(key, suites[0]), new Srtp(key, suites[0])]
  const packets = [65_534, 65_535, 0, 1].map((sequence) => send(ours, sequence))
  for (const index of [0, 2, 1, 3]) assert.ok(hear(theirs, packets[index]!), `packet ${index}`)
})

test('rejects replays and packets older than 64', () => {
  const [ours, theirs] = [new Srtp(key, suites[0]), new Srtp(key, suites[0])]
  const packets = Array.from({ length: 100 }, (_, sequence) => send(ours, sequence))
  for (const [index, packet] of packets.entries()) if (index !== 20 && index !== 50) assert.ok(hear(theirs, packet))
  for (const [index, packet] of packets.entries()) assert.equal(hear(theirs, packet) !== undefined, index === 50, `packet ${index}`)
  assert.equal(theirs.packetsReplayed, 99)
})

test('every source has its own index; a forged one leaves no state', () => {
  const [ours, theirs] = [new Srtp(key, suites[0]), new Srtp(key, suites[0])]
  for (let ssrc = 1; ssrc < 30; ssrc++) {
    const forged = rtp(5, ssrc + 1000)
    assert.equal(theirs.unprotect(forged.packet, forged.packet.length), -1)
    assert.ok(hear(theirs, send(ours, 60_000, ssrc)))
    assert.ok(hear(theirs, send(ours, 60_001, ssrc)))
  }
})

test('keeps header extensions and sources readable, and rejects wrong lengths', () => {
  const srtp = new Srtp(key, suites[0])
  const packet = new Uint8Array(60)
  packet.set([0x91, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 1, 2, 3, 4, 0xbe, 0xde, 0, 1, 9, 9, 9, 9, 50, 51, 52])
  const length = srtp.protect(packet, 27)
  assert.deepEqual([...packet.subarray(12, 24)], [1, 2, 3, 4, 0xbe, 0xde, 0, 1, 9, 9, 9, 9])
  assert.deepEqual([...hear(new Srtp(key, suites[0]), packet.slice(0, length))!.subarray(24)], [50, 51, 52])
  assert.equal(srtp.protect(new Uint8Array(8), 8), -1)
  assert.equal(srtp.protect(new Uint8Array(12).fill(0x80), 12), -1, 'no room for the tag')
  assert.equal(srtp.protectRtcp(new Uint8Array(20), 20), -1)
  const large = new Uint8Array(3000)
  large[0] = 0x80
  assert.equal(srtp.protect(large, 2000), -1)
  assert.equal(srtp.unprotect(large, 2000), -1)
  assert.throws(() => new Srtp(new Uint8Array(16), suites[0]), RangeError)
})

test('finds the rollover counter when joining late, and only then', () => {
  for (const suite of suites) {
    const [ours, late, strict] = [new Srtp(key, suite), new Srtp(key, suite, { joined: true }), new Srtp(key, suite)]
    for (let index = 0; index < 200_000; index += 20_000) send(ours, index & 0xffff)
    const sent = [200_000, 200_001].map((index) => send(ours, index & 0xffff))
    assert.deepEqual(
      sent.map((packet) => [hear(late, packet) !== undefined, hear(strict, packet) !== undefined]),
      [
        [true, false],
        [true, false],
      ],
    )
    const forged = sent[1]!.slice()
    forged[11]! ^= 1
    assert.equal(hear(late, forged), undefined)
  }
})
