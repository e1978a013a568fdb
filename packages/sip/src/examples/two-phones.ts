import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { SipClock } from '../transport/transport.ts'
import { UserAgent } from '../user-agent/user-agent.ts'
import type { IncomingInvite } from '../user-agent/user-agent-options.ts'

const clock: SipClock = {
  now: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** A user agent on a UDP port of the loopback: the package asks for a clock, a transport and a way to find addresses. */
const phone = async (onInvite: (invite: IncomingInvite) => void) => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  const ua = new UserAgent({
    clock,
    transport: {
      send: (message, to, failed) => socket.send(message, to.port, to.address, (error) => error && failed(error)),
      localAddress: () => ({ host: '127.0.0.1', port }),
    },
    resolve: async (uri) => [{ kind: 'udp', address: uri.host, port: uri.port ?? 5060 }],
    onInvite,
    product: 'Example/1.0',
  })
  socket.on('message', (bytes, from) => ua.receive(bytes, { kind: 'udp', address: from.address, port: from.port }))
  const close = async (): Promise<void> => {
    await ua.close()
    socket.close()
  }
  return { ua, uri: `sip:phone@127.0.0.1:${port}`, close }
}

const sdp = (port: number): string =>
  ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', `m=audio ${port} RTP/AVP 8`, ''].join('\r\n')

/** Anna calls Ben, Ben's phone rings and answers, Anna hangs up. Returns what each of them noticed, in order. */
export const callOnce = async (): Promise<string[]> => {
  const noticed: string[] = []
  const ben = await phone(({ request, session }) => {
    noticed.push(`Ben: call from ${request.from.display}`)
    session.observe({ ended: ({ by }) => void noticed.push(`Ben: ended by ${by}`) })
    void session.progress(180)
    void session.accept({ sdp: sdp(40_002) })
  })
  const anna = await phone(({ session }) => session.reject(486))

  const answered = Promise.withResolvers<void>()
  const session = anna.ua.invite(
    { uri: ben.uri, from: `"Anna" <${anna.uri}>`, sdp: sdp(40_000) },
    {
      progress: ({ status }) => void noticed.push(`Anna: ${status}`),
      answered: (description) => {
        noticed.push(`Anna: answered, sound goes to ${/m=audio (\d+)/.exec(description ?? '')?.[1]}`)
        answered.resolve()
      },
      ended: () => answered.resolve(),
    },
  )
  await answered.promise
  await session.end()
  await Promise.all([anna.close(), ben.close()])
  return noticed
}

if (import.meta.main) console.log((await callOnce()).join('\n'))
