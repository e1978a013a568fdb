import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'node:test'
import { Office } from '#test/phones/telephone-office.ts'

interface Asked {
  what: 'call' | 'request'
  isEmergency: boolean
  isFinal: boolean
}

let requests = 0

const request = (method: string, port: number, { to = '100', headers = [] as string[], tag = '' } = {}): string =>
  [
    `${method} sip:${to}@127.0.0.1 SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=z9hG4bK${++requests};rport`,
    'Max-Forwards: 70',
    `From: <sip:100@127.0.0.1>;tag=f${requests}`,
    `To: <sip:${to}@127.0.0.1>${tag}`,
    `Call-ID: c${requests}`,
    `CSeq: 1 ${method}`,
    `Contact: <sip:100@127.0.0.1:${port}>`,
    ...headers,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n')

test('rejects newcomers by 503 before it looks at their credentials, and spares running and emergency calls', async (t) => {
  const asked: Asked[] = []
  const admission = {
    rejects(what: Asked['what'], { isEmergency, isFinal }: { isEmergency: () => boolean; isFinal: boolean }) {
      const one = { what, isEmergency: isEmergency(), isFinal }
      asked.push(one)
      return one.isEmergency ? undefined : 3
    },
  }
  const office = await Office.open(t, { telephony: { admission } })
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  t.after(() => socket.close())
  await once(socket, 'listening')
  const { port } = socket.address()
  const ask = async (method: string, options?: Parameters<typeof request>[2]): Promise<string> => {
    socket.send(request(method, port, options), office.telephony.port('udp') ?? 0, '127.0.0.1')
    const [bytes] = (await once(socket, 'message')) as [Buffer]
    const reply = String(bytes)
    return reply.slice(8, 11) + (/^Retry-After: \d+/m.exec(reply)?.[0] ?? '')
  }
  const shed = '503Retry-After: 3'
  const credentials = ['Authorization: Digest username="100"']
  const statuses = {
    invite: await ask('INVITE'),
    withCredentials: await ask('INVITE', { headers: credentials }),
    emergency: await ask('INVITE', { to: '112' }),
    replacing: await ask('INVITE', { headers: ['Replaces: a@b;to-tag=1;from-tag=2'] }),
    within: await ask('INVITE', { tag: ';tag=1' }),
    register: await ask('REGISTER'),
    subscribe: await ask('SUBSCRIBE'),
    message: await ask('MESSAGE', { to: '112' }),
    options: await ask('OPTIONS'),
  }
  assert.deepEqual(statuses, {
    invite: shed,
    withCredentials: shed,
    emergency: '401',
    replacing: '401',
    within: '481',
    register: shed,
    subscribe: shed,
    message: shed,
    options: '200',
  })
  const call = { what: 'call', isEmergency: false, isFinal: false }
  const other = { what: 'request', isEmergency: false, isFinal: false }
  assert.deepEqual(asked, [call, { ...call, isFinal: true }, { ...call, isEmergency: true }, other, other, other])
})
