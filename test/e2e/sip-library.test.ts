import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { realClock } from '#adapters/clock/clocks.ts'
import { UserAgent } from '@offhook/sip/user-agent/user-agent.ts'
import type { IncomingInvite } from '@offhook/sip/user-agent/user-agent-options.ts'
import { needs } from '#test/peers/debian.ts'
import { sippSucceeds } from '#test/peers/sipp.ts'

/** The SIP library with a socket, for features that the service does not use. */
const startAgent = async (t: TestContext, onInvite: (invite: IncomingInvite) => void): Promise<string> => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  const agent = new UserAgent({
    clock: realClock(),
    product: 'Offhook',
    transport: {
      send: (message, to) => socket.send(message, to.port, to.address),
      localAddress: () => ({ host: '127.0.0.1', port }),
    },
    resolve: async ({ host, port: there }) => [{ kind: 'udp', address: host, port: there ?? 5060 }],
    onInvite,
  })
  socket.on('message', (message, from) => agent.receive(message, { kind: 'udp', address: from.address, port: from.port }))
  t.after(async () => {
    await agent.close(AbortSignal.abort())
    socket.close()
  })
  return `127.0.0.1:${port}`
}

const answer = 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 8\r\na=rtpmap:8 PCMA/8000\r\n'

test('transfers a caller by REFER, and receives NOTIFY about the progress', async (t) => {
  if (!(await needs(t, 'sipp'))) return
  const referred = Promise.withResolvers<number>()
  const notified: number[] = []
  const take = async ({ session }: IncomingInvite): Promise<void> => {
    await session.accept({ sdp: answer })
    referred.resolve(await session.refer('sip:elsewhere@127.0.0.1', { notified: (status) => notified.push(status) }))
    await session.end()
  }
  const agent = await startAgent(t, (invite) => void take(invite))
  await sippSucceeds(t, { scenario: 'uac-referred', target: agent })
  assert.equal(await referred.promise, 200)
  assert.deepEqual(notified, [100, 200])
})
