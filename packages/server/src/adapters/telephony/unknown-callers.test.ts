// test: real time
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'node:test'
import { DigestClient } from '@offhook/sip/digest/digest-client.ts'
import { parseMessage } from '@offhook/sip/message/parse.ts'
import { startWorld } from '#test/world/world.ts'

let requests = 0
const branch = (): string => `z9hG4bK${++requests}`

/** A request outside of dialogs, as a scanner writes it. */
const request = (method: string, port: number, headers: readonly string[] = []): string =>
  [
    `${method} sip:100@127.0.0.1 SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:${port};branch=${branch()};rport`,
    'Max-Forwards: 70',
    `From: <sip:100@127.0.0.1>;tag=${branch()}`,
    'To: <sip:100@127.0.0.1>',
    `Call-ID: ${branch()}`,
    `CSeq: 1 ${method}`,
    `Contact: <sip:100@127.0.0.1:${port}>`,
    ...headers,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n')

test('names no product in SIP replies to callers that have not authenticated', async (t) => {
  const world = await startWorld(t)
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  t.after(() => socket.close())
  await once(socket, 'listening')
  const { port } = socket.address()
  const ask = async (message: string): Promise<string> => {
    socket.send(message, Number(world.running.sip.split(':').at(-1)), '127.0.0.1')
    for (;;) {
      const [bytes] = (await once(socket, 'message')) as [Buffer]
      const reply = String(bytes)
      if (!reply.startsWith('SIP/2.0 1')) return reply
    }
  }
  const headersOf = (reply: string): string => reply.replaceAll(/^WWW-Authenticate:.*\r\n/gim, '')
  const statuses: string[] = []
  const check = (reply: string): void => {
    statuses.push(reply.slice(8, 11))
    assert.doesNotMatch(headersOf(reply), /^(?:Server|User-Agent):|offhook/im)
  }
  const methods = ['OPTIONS', 'REGISTER', 'INVITE', 'MESSAGE', 'SUBSCRIBE', 'PUBLISH', 'BYE', 'FOO']
  for (const method of methods) check(await ask(request(method, port)))
  check(await ask(request('OPTIONS', port).replace('CSeq: 1', 'CSeq: x')))
  assert.deepEqual(statuses, ['200', '401', '401', '401', '401', '405', '481', '501', '400'])

  for (const method of ['INVITE', 'REGISTER']) {
    const challenge = parseMessage(Buffer.from(await ask(request(method, port))), { stream: false })
    assert.ok(challenge.kind === 'response')
    const digest = new DigestClient({ username: '100', password: 'guessed' })
    assert.ok(digest.challenged(challenge))
    const credentials = digest.authorization(method, 'sip:100@127.0.0.1').map(([name, value]) => `${name}: ${value}`)
    check(await ask(request(method, port, credentials)))
  }
  assert.deepEqual(statuses.slice(-2), ['401', '401'], 'after a wrong password')
})
