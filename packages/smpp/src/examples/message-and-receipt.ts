import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { SmppClient, connectSmpp } from '../client/client.ts'
import { addressOf, messageFields } from '../pdu/pdu.ts'
import { readReceipt, receiptFields } from '../message/receipt.ts'
import { readUserData } from '../message/user-data.ts'
import { status } from '../pdu/status.ts'
import type { SmppClock } from '../session/session-options.ts'
import { SmppSession } from '../session/session.ts'

const clock: SmppClock = {
  now: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** A message centre on a free port of the loopback: takes each message and reports its delivery at once. */
const messageCentre = async (noticed: string[]) => {
  const server = createServer((socket) => {
    const session = new SmppSession({
      role: 'smsc',
      socket,
      clock,
      bind: async ({ password }) => ({ status: password === 'secret' ? status.ok : status.invalidPassword, systemId: 'CENTRE' }),
      message: async (request) => {
        noticed.push(`SMSC: "${readUserData(request).text}" for ${request.destination.value}`)
        const { source, destination } = request
        const receipt = receiptFields({ id: 'm1', state: 'DELIVERED', error: '', submittedAt: clock.now(), doneAt: clock.now() })
        queueMicrotask(() => void session.send(messageFields({ source: destination, destination: source, ...receipt })))
        return { status: status.ok, messageId: 'm1' }
      },
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

/** Binds, sends one message, waits for its receipt, unbinds. Returns what both sides noticed, in order. */
export const sendOnce = async (): Promise<string[]> => {
  const noticed: string[] = []
  const centre = await messageCentre(noticed)
  const bound = Promise.withResolvers<void>()
  const delivered = Promise.withResolvers<void>()
  const client = new SmppClient({
    clock,
    random: Math.random,
    connect: (signal) => connectSmpp({ host: '127.0.0.1', port: centre.port, tls: false }, signal),
    bind: { systemId: 'example', password: 'secret' },
    changed: (state) => state.bound && bound.resolve(),
    message: async (request) => {
      const receipt = readReceipt(request)
      noticed.push(`ESME: receipt ${receipt?.id} ${receipt?.state}`)
      delivered.resolve()
      return { status: status.ok }
    },
  })
  client.start()
  await bound.promise
  const message = { source: addressOf('Example'), destination: addressOf('+491701234567'), registeredDelivery: 1 }
  const { messageId } = await client.send(messageFields({ ...message, shortMessage: Buffer.from('Hello') }))
  noticed.push(`ESME: taken as ${messageId}`)
  await delivered.promise
  await client.close()
  centre.close()
  return noticed
}

if (import.meta.main) console.log((await sendOnce()).join('\n'))
