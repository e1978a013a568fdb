import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { realClock } from '#adapters/clock/clocks.ts'
import { connectSmpp } from '@offhook/smpp/client/client.ts'
import { messageFields } from '@offhook/smpp/pdu/pdu.ts'
import { SmppSession } from '@offhook/smpp/session/session.ts'

/**
 * The peer of the SMPP bench, the same for every program measured. Without arguments an SMSC that accepts everything; with a port an ESME that
 * binds there and submits `count` messages, `window` at a time, once per line read from stdin.
 */
const clock = realClock()
const [port, count = 0, window = 10] = process.argv.slice(2).map(Number)

const listen = async (): Promise<void> => {
  let id = 0
  const server = createServer({ noDelay: true }, (socket) => {
    const message = async (): Promise<{ status: number; messageId: string }> => ({ status: 0, messageId: String(++id) })
    void new SmppSession({ role: 'smsc', socket, clock, bind: async () => ({ status: 0, systemId: 'bench' }), message, concurrency: 1_000 })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }))
}

const submit = async (session: SmppSession): Promise<void> => {
  const address = { ton: 1, npi: 1, value: '491701234567' }
  const shortMessage = Buffer.from('Your parcel arrives today between 10 and 12.')
  let left = count
  const chain = async (): Promise<void> => {
    while (left-- > 0) await session.send(messageFields({ source: address, destination: address, registeredDelivery: 1, shortMessage }))
  }
  await Promise.all(Array.from({ length: window }, chain))
}

const load = async (to: number): Promise<void> => {
  const socket = await connectSmpp({ host: '127.0.0.1', port: to, tls: false }, new AbortController().signal)
  const session = new SmppSession({ role: 'esme', socket, clock, window, message: async () => ({ status: 0 }) })
  await session.bind({ systemId: 'bench', password: 'bench' })
  for await (const _ of process.stdin) {
    await submit(session)
    console.log('done')
  }
}

await (port === undefined ? listen() : load(port))
