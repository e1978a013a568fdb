import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { Edge } from '#test/cluster/edge.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'

const sources = 2_000
/** Limit of the edge for requests other than REGISTER, per window of one to two seconds. */
const perWindow = 200

const bind = async (t: TestContext, address: string, port = 0): Promise<Socket> => {
  const socket = createSocket('udp4')
  socket.bind(port, address)
  await once(socket, 'listening')
  t.after(() => socket.close())
  return socket
}

/** Answers every request and counts INVITEs by Call-ID. */
const startProcess = async (t: TestContext): Promise<{ address: string; invites: Set<string> }> => {
  const port = await freePorts(t, 1)
  const socket = await bind(t, '127.0.0.1', port)
  const invites = new Set<string>()
  socket.on('message', (bytes, from) => {
    const text = bytes.toString()
    const method = text.split(' ', 1)[0]
    if (method === 'INVITE') invites.add(/^Call-ID: (\S+)/m.exec(text)?.[1] ?? '')
    if (method === 'ACK') return
    const copied = text.split('\r\n').filter((line) => /^(Via|From|To|Call-ID|CSeq):/i.test(line))
    const status = method === 'INVITE' ? '486 Busy Here' : '200 OK'
    const lines = copied.map((line) => (/^To:/i.test(line) ? `${line};tag=1` : line))
    socket.send([`SIP/2.0 ${status}`, ...lines, 'Content-Length: 0', '', ''].join('\r\n'), from.port, from.address)
  })
  return { address: `127.0.0.1:${port}`, invites }
}

const invite = (source: string, edge: string, nth: number): string =>
  [
    `INVITE sip:100@${edge} SIP/2.0`,
    `Via: SIP/2.0/UDP ${source};rport;branch=z9hG4bK${nth}`,
    'Max-Forwards: 70',
    `From: <sip:${nth}@${source}>;tag=${nth}`,
    `To: <sip:100@${edge}>`,
    `Call-ID: forged-${nth}`,
    'CSeq: 1 INVITE',
    `Contact: <sip:${nth}@${source}>`,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n')

test('limits INVITEs of all unknown sources together at the edge, while a new phone registers', async (t) => {
  if (!(await needs(t, 'kamailio', 'websocket.so', 'outbound.so'))) return
  const { address, invites } = await startProcess(t)
  const edge = await Edge.start(t, { host: '127.0.0.5', processes: [address] })
  await until('the process is known', async () => ((await edge.active()).length > 0 ? true : undefined))
  const phoneAt = (source: string) => SipPhone.open(t, { server: edge.sip, address: source, user: 'phone', password: 'none' })
  const known = await phoneAt('127.0.0.71')
  const [host = '', port] = edge.sip.split(':')
  const startedAt = performance.now()
  for (let nth = 0; nth < sources; nth++) {
    const source = `127.16.${nth >> 8}.${nth & 255}`
    const socket = createSocket('udp4')
    socket.bind(0, source)
    await once(socket, 'listening')
    await new Promise((sent) => socket.send(invite(source, edge.sip, nth), Number(port), host, sent))
    socket.close()
    // The kernel buffers few datagrams for a slow reader: once this is answered, all earlier ones were read.
    if (nth % 50 === 0) assert.equal((await known.register()).status, 200)
  }
  assert.equal((await (await phoneAt('127.0.0.72')).register()).status, 200)
  const windows = 2 + (performance.now() - startedAt) / 1_000
  assert.ok(invites.size > 0 && invites.size <= perWindow * windows, `${invites.size} of ${sources} in ${windows} windows`)
})
