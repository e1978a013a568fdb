import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dice } from '#test/chance/dice.ts'
import { withParity } from '#test/fax/udptl-parity.ts'
import { UdptlOrder, parseUdptl, UdptlWriter } from './udptl.ts'

const messages = Array.from({ length: 400 }, (_, number) =>
  Uint8Array.from({ length: 1 + ((number * 7) % 200) }, (_, at) => number * 31 + at),
)

const gather = (): { order: UdptlOrder; got: { message: number[]; sequence: number }[] } => {
  const got: { message: number[]; sequence: number }[] = []
  return { got, order: new UdptlOrder((message, sequence) => got.push({ message: [...message], sequence })) }
}

const all = messages.map((message, sequence) => ({ message: [...message], sequence }))

const nothing = new Uint8Array()
const parityPacket = (sequence: number): Uint8Array => withParity(sequence, (number) => messages[number] ?? nothing)

test('writes the octets of a packet by T.38 annex D', () => {
  const writer = new UdptlWriter(2)
  assert.deepEqual([...writer.write(Uint8Array.of(0x06))], [0, 0, 1, 6, 0, 0])
  assert.deepEqual([...writer.write(Uint8Array.of(0xc0, 1))], [0, 1, 2, 0xc0, 1, 0, 1, 1, 6])
  const long = writer.write(new Uint8Array(200))
  assert.deepEqual([...long.subarray(0, 4)], [0, 2, 0x80, 200])
  assert.deepEqual([...long.subarray(204)], [0, 2, 2, 0xc0, 1, 1, 6])
  assert.deepEqual([...(parseUdptl(long)?.primary ?? [])], [...new Uint8Array(200)])
})

test('delivers everything once without loss, also when sequence numbers wrap', () => {
  const { order, got } = gather()
  for (let i = 65_400; i < 65_700; i++) {
    const packet = Uint8Array.of((i >> 8) & 255, i & 255, 1, i & 255, 0, 0)
    order.receive(packet)
    if (i % 5 === 0) order.receive(packet)
  }
  assert.equal(got.length, 300)
  assert.ok(got.every(({ message, sequence }, at) => sequence === ((65_400 + at) & 0xffff) && message[0] === (sequence & 255)))
  assert.equal(order.figures.lost, 0)
  assert.equal(order.figures.late, 60)
})

test('recovers lost messages from later packets, in order', () => {
  const { order, got } = gather()
  const writer = new UdptlWriter(3)
  const packets = messages.map((message) => writer.write(message))
  const lost = new Set([0, 1, 7, 20, 21, 22, 100, 102])
  for (const [sequence, packet] of packets.entries()) if (!lost.has(sequence)) order.receive(packet)
  assert.deepEqual(got, all)
  assert.equal(order.figures.recovered, lost.size)
})

test('loses only messages beyond the redundancy', () => {
  const { order, got } = gather()
  const writer = new UdptlWriter(1)
  for (const [sequence, message] of messages.entries()) {
    const packet = writer.write(message)
    if (sequence < 50 || sequence > 53) order.receive(packet)
  }
  assert.deepEqual(
    got,
    all.filter(({ sequence }) => sequence < 50 || sequence > 52),
  )
  assert.equal(order.figures.lost, 3)
})

test('recovers lost messages by parity', () => {
  const { order, got } = gather()
  const lost = new Set([30, 60, 61, 62, 120])
  for (let sequence = 10; sequence < 200; sequence++) if (!lost.has(sequence)) order.receive(parityPacket(sequence))
  assert.deepEqual(
    got.map(({ sequence }) => sequence),
    all.slice(10, 200).map(({ sequence }) => sequence),
  )
  // The length of a message is unknown: zeros may follow it.
  for (const { message, sequence } of got) assert.deepEqual(message.slice(0, messages[sequence]?.length), [...(messages[sequence] ?? [])])
  assert.equal(order.figures.recovered, lost.size)
})

test('does not invent messages that parity cannot recover', () => {
  const { order, got } = gather()
  const lost = new Set([60, 63])
  for (let sequence = 10; sequence < 200; sequence++) if (!lost.has(sequence)) order.receive(parityPacket(sequence))
  for (const { message, sequence } of got) assert.deepEqual(message.slice(0, messages[sequence]?.length), [...(messages[sequence] ?? [])])
})

test('never exceeds the maximum datagram of the far end', () => {
  const writer = new UdptlWriter(3, 300)
  const sizes = messages.map((message) => writer.write(message).length)
  assert.ok(Math.max(...sizes) <= 300)
  const { order, got } = gather()
  const again = new UdptlWriter(3, 300)
  for (const message of messages) order.receive(again.write(message))
  assert.deepEqual(got, all)
})

test('ignores a late packet of the previous call', () => {
  const { order, got } = gather()
  const writer = new UdptlWriter(3)
  const rtp = Uint8Array.from({ length: 172 }, (_, at) => [0x80, 8, 10, 1][at] ?? 0x55)
  for (const [sequence, message] of messages.entries()) {
    if (sequence % 50 === 20) order.receive(rtp)
    order.receive(writer.write(message))
  }
  assert.deepEqual(got, all)
})

test('follows a restarted sender from its second packet on', () => {
  const { order, got } = gather()
  const before = new UdptlWriter(0)
  for (let i = 0; i < 300; i++) order.receive(before.write(Uint8Array.of(1)))
  const after = new UdptlWriter(0)
  for (let i = 0; i < 10; i++) order.receive(after.write(Uint8Array.of(2)))
  assert.equal(got.filter(({ message }) => message[0] === 2).length, 9)
})

test('survives any input without growing', () => {
  const roll = dice(3)
  const { order } = gather()
  const writer = new UdptlWriter(3)
  for (let i = 0; i < 5000; i++) {
    const packet = Buffer.from(roll(2) ? writer.write(messages[i % messages.length] ?? new Uint8Array()) : parityPacket(i % 300))
    for (let flips = roll(4); flips > 0; flips--) packet[roll(packet.length)] = roll(256)
    order.receive(packet.subarray(0, roll(3) ? packet.length : roll(packet.length + 1)))
  }
  for (let i = 0; i < 5000; i++) order.receive(Uint8Array.from({ length: roll(64) }, () => roll(256)))
  const { received, refused } = order.figures
  assert.ok(received > 0 && refused > 0)
})

test('rejects malformed packets', () => {
  const good = [...new UdptlWriter(0).write(Uint8Array.of(6))]
  assert.ok(parseUdptl(Uint8Array.from(good)))
  for (let length = 0; length < good.length; length++) assert.equal(parseUdptl(Uint8Array.from(good.slice(0, length))), undefined)
  assert.equal(parseUdptl(Uint8Array.of(0, 0, 0, 0, 0)), undefined) // no message
  assert.equal(parseUdptl(Uint8Array.of(0, 0, 1, 6, 0, 17)), undefined) // 17 repetitions
  assert.equal(parseUdptl(Uint8Array.of(0, 0, 0xc1, 6, 0, 0)), undefined) // fragmented
})
