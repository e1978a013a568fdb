import assert from 'node:assert/strict'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { Edge } from '#test/cluster/edge.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'

const bind = async (t: TestContext, address: string, port = 0): Promise<Socket> => {
  const socket = createSocket('udp4')
  socket.bind(port, address)
  await once(socket, 'listening')
  t.after(() => socket.close())
  return socket
}

/** Rejects INVITEs like an overloaded process, until told otherwise. */
const startProcess = async (t: TestContext) => {
  const port = await freePorts(t, 1)
  const socket = await bind(t, '127.0.0.1', port)
  const process = { address: `127.0.0.1:${port}`, invites: new Set<string>(), overloaded: true }
  socket.on('message', (bytes, from) => {
    const text = bytes.toString()
    const method = text.split(' ', 1)[0]
    if (method === 'INVITE') process.invites.add(/^Call-ID: (\S+)/m.exec(text)?.[1] ?? '')
    if (method === 'ACK') return
    const copied = text.split('\r\n').filter((line) => /^(Via|From|To|Call-ID|CSeq):/i.test(line))
    const rejection = process.overloaded
      ? ['503 Service Unavailable', 'Retry-After: 4', 'Reason: Q.850;cause=42;text="Congestion"']
      : ['486 Busy Here']
    const [status = '', ...headers] = method === 'INVITE' ? rejection : ['200 OK']
    const lines = copied.map((line) => (/^To:/i.test(line) ? `${line};tag=1` : line))
    socket.send([`SIP/2.0 ${status}`, ...lines, ...headers, 'Content-Length: 0', '', ''].join('\r\n'), from.port, from.address)
  })
  return process
}

test('offers a call that an overloaded process rejects to one other process, and then returns 503 with Retry-After', async (t) => {
  if (!(await needs(t, 'kamailio', 'websocket.so', 'outbound.so'))) return
  const processes = [await startProcess(t), await startProcess(t), await startProcess(t)]
  const edge = await Edge.start(t, { host: '127.0.0.5', processes: processes.map(({ address }) => address) })
  await until('the processes are known', async () => ((await edge.active()).length === 3 ? true : undefined))
  const caller = await bind(t, '127.0.0.1')
  const [host = '', port] = edge.sip.split(':')
  const call = async (nth: number): Promise<string> => {
    const source = `127.0.0.1:${caller.address().port}`
    const lines = [
      `INVITE sip:100@${edge.sip} SIP/2.0`,
      `Via: SIP/2.0/UDP ${source};rport;branch=z9hG4bKcall${nth}`,
      'Max-Forwards: 70',
      `From: <sip:caller@${source}>;tag=${nth}`,
      `To: <sip:100@${edge.sip}>`,
      `Call-ID: call-${nth}`,
      'CSeq: 1 INVITE',
      `Contact: <sip:caller@${source}>`,
      'Content-Length: 0',
    ]
    caller.send([...lines, '', ''].join('\r\n'), Number(port), host)
    for (;;) {
      const [bytes] = (await once(caller, 'message')) as [Buffer]
      const reply = bytes.toString()
      if (reply.startsWith('SIP/2.0 1') || !reply.includes(`Call-ID: call-${nth}\r\n`)) continue
      caller.send(
        [...lines, '', '']
          .join('\r\n')
          .replace(/^INVITE/, 'ACK')
          .replace('1 INVITE', '1 ACK'),
        Number(port),
        host,
      )
      return reply
    }
  }
  for (let nth = 0; nth < 3; nth++) {
    const reply = await call(nth)
    assert.match(reply, /^SIP\/2\.0 503 /)
    assert.match(reply, /^Retry-After: 4\r$/m)
  }
  assert.deepEqual(
    processes.reduce((sum, { invites }) => sum + invites.size, 0),
    6,
    'each call was offered twice',
  )
  for (const process of processes.slice(1)) process.overloaded = false
  for (let nth = 3; nth < 6; nth++) assert.match(await call(nth), /^SIP\/2\.0 486 /)
})
