// test: real time
import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { Office } from '#test/phones/telephone-office.ts'

const batch = 50

/** Its time stands still, so that no limit is refilled. */
const openOffice = (t: TestContext, telephony: { hasMediaForTrunks?: () => boolean } = {}): Promise<Office> =>
  Office.open(t, { telephony: { clock: new VirtualClock(), limitLoopback: true, ...telephony } })

const write = (method: string, source: string, server: string, nth: number): string =>
  [
    `${method} sip:+4930123@${server} SIP/2.0`,
    `Via: SIP/2.0/UDP ${source};rport;branch=z9hG4bK${nth}`,
    `From: <sip:+4930${nth}@${source}>;tag=${nth}`,
    `To: <sip:+4930123@${server}>`,
    `Call-ID: ${nth}@${source}`,
    `CSeq: 1 ${method}`,
    `Contact: <sip:+4930${nth}@${source}>`,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n')

const openSocket = async (t: TestContext, address: string, onAnswer: (text: string) => void): Promise<Socket> => {
  const socket = createSocket('udp4')
  socket.bind(0, address)
  await once(socket, 'listening')
  t.after(() => socket.close())
  return socket.on('message', (bytes) => onAnswer(bytes.toString()))
}

/**
 * Sends this many requests, the nth from the nth socket, and returns the answers. The kernel queues few datagrams for a slow reader, so
 * from time to time `phone` sends a request: its answer shows that all earlier ones were read.
 */
const flood = async (
  office: Office,
  phone: SipPhone,
  count: number,
  socketOf: (nth: number) => Promise<[Socket, string]>,
): Promise<void> => {
  const [host = '', port] = office.server.split(':')
  for (let nth = 0; nth < count; nth++) {
    const [socket, text] = await socketOf(nth)
    socket.send(text, Number(port), host)
    if (nth % batch === batch - 1 || nth === count - 1) assert.equal((await phone.register()).status, 200)
  }
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
}

const openKnownPhone = async (office: Office): Promise<SipPhone> => (await office.phone({ address: '127.0.0.71' })).phone

test('answers INVITEs from random sources up to a limit, while known and new phones register', async (t) => {
  const office = await openOffice(t)
  const known = await openKnownPhone(office)
  let answered = 0
  await flood(office, known, 600, async (nth) => {
    const address = `127.16.${nth >> 8}.${nth & 255}`
    return [await openSocket(t, address, () => answered++), write('INVITE', address, office.server, nth)]
  })
  assert.equal(answered, 400)
  assert.equal(office.telephony.dropped.unproven, 200)
  const { phone: outsider } = await office.phone({ registered: false, address: '127.0.0.72' })
  assert.equal((await outsider.register()).status, 200)
})

test("answers a trunk's INVITEs above its rate with 503 and Retry-After, without keeping state", async (t) => {
  const office = await openOffice(t)
  const { phone: carrier } = await office.carrier('127.0.0.2', { callsPerSecond: 1 })
  const known = await openKnownPhone(office)
  const rejected: string[] = []
  const socket = await openSocket(t, '127.0.0.2', (text) => void (text.startsWith('SIP/2.0 503') && rejected.push(text)))
  await flood(office, known, 200, async (nth) => [socket, write('INVITE', '127.0.0.2', office.server, nth)])
  assert.equal(rejected.length, 190)
  assert.ok(rejected.every((text) => /^Retry-After: 10\r$/m.test(text)))
  const tags = new Set(rejected.map((text) => /^To: .*;tag=(\S+)\r$/m.exec(text)?.[1]))
  assert.equal(tags.size, 1, 'answers without a transaction have one tag (RFC 3261 §8.2.7)')
  assert.equal((await carrier.request('OPTIONS', `sip:${office.server}`)).status, 200)
})

test('answers a trunk’s calls with 503 while few RTP ports are free; phones can still call', async (t) => {
  const office = await openOffice(t, { hasMediaForTrunks: () => false })
  const { phone: carrier } = await office.carrier('127.0.0.2')
  const { status, message } = await carrier.call('+493023125099').ended
  assert.deepEqual([status, message?.header('retry-after')], [503, '10'])
  const { phone } = await office.phone({ address: '127.0.0.71' })
  const call = phone.call('+493023125099')
  await (await office.incoming()).leg.answer()
  assert.equal((await call.answered).status, 200)
  await call.session.end()
})
