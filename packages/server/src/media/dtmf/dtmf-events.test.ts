import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DtmfReceiver, DtmfSender } from './dtmf-events.ts'

interface Packet {
  at: number
  timestamp: number
  marker: boolean
  event: number
  end: boolean
  volume: number
  duration: number
  bytes: Uint8Array
}

const send = (digits: string, clockRate = 8000, packetMs = 20, start = 1000): { packets: Packet[]; ticks: number } => {
  const sender = new DtmfSender(clockRate, packetMs)
  sender.add(digits)
  const packets: Packet[] = []
  let timestamp = start
  for (; sender.busy; timestamp += (clockRate * packetMs) / 1000) {
    if (!sender.next(timestamp)) continue
    const bytes = sender.payload.slice()
    const [event, flags, high, low] = [...bytes] as [number, number, number, number]
    packets.push({
      at: timestamp,
      timestamp: sender.timestamp,
      marker: sender.marker,
      event,
      end: flags > 127,
      volume: flags & 63,
      duration: high * 256 + low,
      bytes,
    })
  }
  return { packets, ticks: timestamp - start }
}

const hear = (packets: readonly Packet[], receiver = new DtmfReceiver()): string =>
  packets.map((one) => receiver.receive(one.bytes, 0, 4, one.timestamp >>> 0, 1)).join('')

test('one key: growing duration under one timestamp, marker first, three equal end packets', () => {
  const { packets, ticks } = send('5')
  assert.deepEqual(
    packets.map((one) => one.duration),
    [160, 320, 480, 640, 800, 960, 960, 960],
  )
  assert.ok(packets.every((one) => one.timestamp === 1000 && one.event === 5 && one.volume === 10))
  assert.deepEqual(
    packets.map((one) => one.marker),
    [true, ...Array.from({ length: 7 }, () => false)],
  )
  assert.deepEqual(
    packets.map((one) => one.end),
    [false, false, false, false, false, true, true, true],
  )
  assert.equal(ticks, 8 * 200, '120 ms of tone and 80 ms of gap')
})

test('sends keys with a gap, each with its own timestamp', () => {
  const { packets } = send('1*d')
  assert.deepEqual([...new Set(packets.map((one) => one.event))], [1, 10, 15])
  assert.deepEqual([...new Set(packets.map((one) => one.timestamp))], [1000, 2600, 4200])
  assert.equal(hear(packets), '1*D')
})

test('supports other clock rates and packet times', () => {
  const wide = send('7', 48_000)
  assert.equal(wide.packets.at(-1)!.duration, 5760)
  assert.equal(hear(send('77', 8000, 10).packets), '77')
  assert.equal(hear(send('77', 8000, 60).packets), '77')
  const slow = send('77', 8000, 60).packets
  assert.equal(slow.filter((one) => one.end).length, 6)
})

test('wraps the timestamp within a number', () => {
  const { packets } = send('123', 8000, 20, 2 ** 32 - 800)
  assert.equal(hear(packets), '123')
  assert.ok(packets.every((one) => one.timestamp < 2 ** 32))
})

test('detects every key once if at least one of its packets arrives', () => {
  const { packets } = send('112#')
  for (let keep = 0; keep < 8; keep++) assert.equal(hear(packets.filter((_, index) => index % 8 === keep)), '112#', `only packet ${keep}`)
  assert.equal(hear(packets.filter((one) => !one.end)), '112#', 'all ends lost')
  assert.equal(hear(packets.flatMap((one) => [one, one])), '112#', 'all twice')
})

test('ignores packets of a key that arrive after the next key began', () => {
  const { packets } = send('12')
  const late = packets[7]!
  assert.equal(hear([...packets.slice(0, 7), ...packets.slice(7 + 1, 10), late, ...packets.slice(10)]), '12')
})

test('reports a key held for half a minute as one key', () => {
  const receiver = new DtmfReceiver()
  let heard = ''
  for (let segment = 0, start = 500; segment < 4; segment++, start += 65_440) {
    for (let duration = 160; duration <= 65_440; duration += 160) {
      heard += receiver.receive(Uint8Array.of(9, 10, duration >> 8, duration), 0, 4, start, 1)
    }
  }
  assert.equal(heard, '9')
  assert.equal(receiver.receive(Uint8Array.of(9, 0x8a, 1, 0), 0, 4, 500 + 4 * 65_440 + 80_000, 1), '9', 'pressed again much later')
})

test('restarts at another source, and skips events that are not keys', () => {
  const receiver = new DtmfReceiver()
  assert.equal(receiver.receive(Uint8Array.of(3, 10, 0, 160), 0, 4, 900, 1), '3')
  assert.equal(receiver.receive(Uint8Array.of(3, 10, 0, 160), 0, 4, 800, 2), '3')
  assert.equal(receiver.receive(Uint8Array.of(16, 10, 0, 160), 0, 4, 9_000, 2), '', 'hook flash')
  assert.equal(receiver.receive(Uint8Array.of(3, 10, 0), 0, 3, 9_000, 2), '', 'too short')
  assert.equal(receiver.receive(Uint8Array.of(4, 10, 0, 160, 9, 9), 0, 6, 9_000, 2), '4')
})

test('follows a sender that restarts at lower timestamps', () => {
  const receiver = new DtmfReceiver()
  assert.equal(receiver.receive(Uint8Array.of(3, 10, 0, 160), 0, 4, 900_000, 1), '3')
  assert.equal(receiver.receive(Uint8Array.of(4, 10, 0, 160), 0, 4, 899_000, 1), '')
  assert.equal(receiver.receive(Uint8Array.of(4, 10, 0, 160), 0, 4, 1_000, 1), '4')
})

test('rejects digits that are not keys', () => {
  const sender = new DtmfSender(8000, 20)
  assert.throws(() => sender.add('12x'), RangeError)
  assert.throws(() => sender.add(''), RangeError)
  assert.equal(sender.busy, false)
  assert.equal(sender.next(0), false)
})
