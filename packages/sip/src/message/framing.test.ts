import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isKeepAlive, StreamFramer } from './framing.ts'
import { limits } from '../grammar/scan.ts'

const message = (body: string, length = `Content-Length: ${body.length}`): Buffer =>
  Buffer.from(
    [
      'OPTIONS sip:desk@example.org SIP/2.0',
      'Via: SIP/2.0/TCP 192.0.2.7;branch=z9hG4bKframe',
      'From: <sip:a@example.org>;tag=f',
      'To: <sip:b@example.org>',
      'Call-ID: frame-1',
      'CSeq: 3 OPTIONS',
      length,
      '',
      body,
    ].join('\r\n'),
  )

const texts = (messages: Buffer[]): string[] => messages.map((each) => each.toString())

test('splits several messages of one chunk', () => {
  const [first, second] = [message('one'), message('')]
  const { messages, pings, broken } = new StreamFramer().feed(Buffer.concat([first, second, first.subarray(0, 40)]))
  assert.deepEqual(texts(messages), texts([first, second]))
  assert.equal(pings, 0)
  assert.equal(broken, undefined)
})

test('yields the same messages for any chunk boundaries', () => {
  const stream = Buffer.concat([
    Buffer.from('\r\n\r\n'),
    message('body'),
    Buffer.from('\r\n'),
    message('', 'l :\r\n 0'),
    message('x'.repeat(3000)),
  ])
  const whole = texts(new StreamFramer().feed(stream).messages)
  assert.equal(whole.length, 3)
  for (const size of [1, 2, 3, 7, 64, 1000]) {
    const framer = new StreamFramer()
    const out: Buffer[] = []
    let pings = 0
    for (let i = 0; i < stream.length; i += size) {
      const framed = framer.feed(stream.subarray(i, i + size))
      out.push(...framed.messages)
      pings += framed.pings
    }
    assert.deepEqual(texts(out), whole, `pieces of ${size}`)
    assert.equal(pings, 1)
    assert.equal(framer.partial, false)
  }
})

test('counts a double line break as ping and ignores a pong', () => {
  const framer = new StreamFramer()
  assert.equal(framer.feed(Buffer.from('\r\n')).pings, 0)
  assert.equal(framer.feed(Buffer.from('\r\n')).pings, 1)
  assert.equal(framer.feed(Buffer.from('\r')).pings, 0)
  assert.equal(framer.feed(Buffer.from('\n\r\n')).pings, 1)
  assert.equal(framer.partial, false)
})

test('copies each message into its own memory', () => {
  const framer = new StreamFramer()
  const chunk = Buffer.from(message('abc'))
  const [first] = framer.feed(chunk).messages
  chunk.fill(0)
  assert.equal(first?.toString(), message('abc').toString())
})

for (const [what, bytes, status] of [
  ['no Content-Length', message('abc', 'Subject: none'), 400],
  ['two Content-Lengths', message('abc', 'Content-Length: 3\r\nl: 3'), 400],
  ['a negative Content-Length', message('abc', 'Content-Length: -999'), 400],
  ['a Content-Length that is no number', message('abc', 'Content-Length: three'), 400],
  ['a body that is larger than the limit', message('', `Content-Length: ${limits.streamBytes}`), 513],
] as const) {
  test(`reports ${what} as an answerable error and reads no further`, () => {
    const framer = new StreamFramer()
    const good = message('good')
    const { messages, broken } = framer.feed(Buffer.concat([good, bytes]))
    assert.deepEqual(texts(messages), [good.toString()], 'what came before is still good')
    assert.equal(broken?.status, status)
    assert.equal(broken.received?.callId, 'frame-1')
    assert.deepEqual(framer.feed(good), { messages: [], pings: 0 }, 'nothing after it is read')
  })
}

test('reports data other than SIP as an error without an answer', () => {
  for (const hello of ['\x16\x03\x01\x02\x00', ' INVITE', '\0', '\rX']) {
    const { broken } = new StreamFramer().feed(Buffer.from(hello, 'latin1'))
    assert.equal(broken?.status, 400)
    assert.equal(broken.received, undefined)
  }
})

test('enforces the size limit at, one above and far above it', () => {
  const head = message('', `Content-Length: 00000`).length
  const sized = (total: number): Buffer => message('b'.repeat(total - head), `Content-Length: ${String(total - head).padStart(5, '0')}`)
  assert.equal(new StreamFramer().feed(sized(limits.streamBytes)).messages[0]?.length, limits.streamBytes)
  assert.equal(new StreamFramer().feed(sized(limits.streamBytes + 1)).broken?.status, 513)
  assert.equal(new StreamFramer().feed(sized(limits.streamBytes * 100)).broken?.status, 513)
})

test('rejects endless headers at the size limit', () => {
  const framer = new StreamFramer()
  const line = Buffer.from(`X-Filler: ${'x'.repeat(1000)}\r\n`)
  framer.feed(Buffer.from('OPTIONS sip:x SIP/2.0\r\n'))
  let fed = 0
  while (fed < limits.streamBytes * 2) {
    fed += line.length
    const { broken } = framer.feed(line)
    if (broken !== undefined) {
      assert.equal(broken.status, 513)
      assert.ok(fed <= limits.streamBytes + line.length)
      return
    }
  }
  assert.fail('never given up')
})

test('recognizes NAT keep-alives', () => {
  for (const ping of ['', '\r\n', '\r\n\r\n', '\0\0\0\0']) assert.equal(isKeepAlive(Buffer.from(ping)), true)
  for (const other of ['\r\nX\r\n', '\0'.repeat(1_000)]) assert.equal(isKeepAlive(Buffer.from(other)), false)
})
