import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Action } from '@offhook/contract/assistant/actions.ts'
import { realClock } from '#adapters/clock/real-clock.ts'
import { openEndpoints } from '#adapters/endpoint/endpoints.ts'
import { outboundHttp } from '#adapters/outbound-http.ts'
import { outboundSockets } from '#adapters/outbound-sockets.ts'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import { openVault } from '#adapters/vault/file-vault.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import { Listeners } from '#core/assistant/delivery/listeners/listeners.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { EndpointPiece, EndpointReply, EndpointChannelObserver, OutgoingEvent } from '#core/kernel/ports/assistant/endpoint.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import type { OutboundSockets } from '#core/kernel/ports/outbound-sockets.ts'
import type { Flow, FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import { temporaryFolder } from '../machine/temporary-folder.ts'
import type { VirtualClock } from '../clock/virtual-clock.ts'

export interface Received {
  path: string
  headers: IncomingMessage['headers']
  body: string
}

export interface Customer {
  /** `127.0.0.1:1234` */
  address: string
  received: Received[]
  sockets: WebSocket[]
  /** How often one was asked for. */
  upgrades: number
  /** A number: what is answered instead. */
  takesSockets: boolean | number
  /** Breaks all connections. */
  hangUp(): void
}

type Answerer = (received: Received, response: ServerResponse) => unknown
/** Without one, no WebSocket is opened. It confirms pings itself, if it wants to. */
type Listener = (socket: WebSocket, request: IncomingMessage) => unknown

/** A customer's server, which does what the test says. */
export const startCustomer = async (
  t: TestContext,
  answer: Answerer = (_, response) => response.end(),
  listen?: Listener,
): Promise<Customer> => {
  const connections = new Set<Socket>()
  const hangUp = (): void => connections.forEach((socket) => socket.destroy())
  const customer: Customer = { address: '', received: [], sockets: [], upgrades: 0, takesSockets: listen !== undefined, hangUp }
  // Connections that lie idle are ours to end: one that the server closed in the moment of the next request would be a fault of its own.
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    const take = async (): Promise<void> => {
      const one = { path: request.url ?? '', headers: request.headers, body: await text(request) }
      customer.received.push(one)
      await answer(one, response)
    }
    take().catch(() => response.destroy())
  })
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.on('error', () => {}).on('close', () => connections.delete(socket))
  })
  const webSockets = new WebSocketServer({ noServer: true, autoPong: false })
  server.on('upgrade', (request, socket, head) => {
    customer.upgrades++
    const { takesSockets } = customer
    if (takesSockets === false) socket.destroy()
    else if (takesSockets !== true) socket.end(`HTTP/1.1 ${takesSockets} No\r\nconnection: close\r\n\r\n`)
    else
      webSockets.handleUpgrade(request, socket, head, (opened) => {
        customer.sockets.push(opened)
        listen?.(opened, request)
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  customer.address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  t.after(() => {
    hangUp()
    server.close()
  })
  return customer
}

interface TestEndpointsOptions {
  clock?: Clock
  wallClock?: Clock
  /** Those whose deadlines go by another clock than that on the wall; they are closed with the rest. */
  outbound?: OutboundHttp
  sockets?: OutboundSockets
}

/** The endpoints of all customers on this machine, with one account, and a store in which flows and the delivery log stand. */
export const openTestEndpoints = async (
  t: TestContext,
  {
    clock = realClock(),
    wallClock = clock,
    outbound = outboundHttp({ allow: ['127.0.0.1'] }),
    sockets = outboundSockets({ allow: ['127.0.0.1'] }),
  }: TestEndpointsOptions = {},
) => {
  let closeAll = async (): Promise<void> => {}
  const store = await sqliteStore(join(await temporaryFolder(t, () => closeAll()), 'test.db'))
  const accountId = await store.write((tables) =>
    createAccount(tables, clock, { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR' }),
  )
  const vault = await openVault({ file: '', key: Buffer.alloc(32, 7).toString('base64') })
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const listeners = new Listeners()
  const messages: { eventId: string; text: string }[] = []
  const onMessage = ({ id: eventId }: OutgoingEvent, message: Buffer) => messages.push({ eventId, text: message.toString() })
  /** What was said of sessions that were over. */
  const afterwards: Action[] = []
  const onAfterwards = (_flow: Flow, _event: OutgoingEvent, actions: readonly Action[]) => void afterwards.push(...actions)
  const ways = { store, clock, wallClock, vault, outbound, sockets, listeners, random: () => 0 }
  const endpoints = openEndpoints({ ...ways, onError, onMessage, onAfterwards })
  let closed: Promise<void> | undefined
  const close = (): Promise<void> =>
    (closed ??= endpoints
      .close()
      .then(() => outbound.close())
      .then(() => sockets.close()))
  closeAll = async () => {
    await close()
    await store.close()
  }
  const newFlow = async (settings: FlowSettings): Promise<Flow> => {
    const flow = { id: `flow-${Math.random()}`, name: 'Test', settings }
    await store.write(({ flows }) => flows.insert(accountId, flow, 0))
    return flow
  }
  const deliveries = async (flow: Flow) => {
    await endpoints.flush()
    return (await store.read.deliveries.list(accountId, flow.id, { limit: 100 })).toReversed()
  }
  return { endpoints, listeners, store, accountId, vault, outbound, newFlow, deliveries, errors, messages, afterwards, close }
}

export const testSession = { id: '6f1f2c0e-7d0b-4a53-9f0e-2a1b7f4c9d11', phone_number: '4921100000' }

/** Events of one session, numbered. */
export const eventMaker = (accountId: string, sessionId: string = testSession.id) => {
  let sequence = 0
  const session = { ...testSession, id: sessionId, account_id: accountId }
  return (type: 'session_start' | 'user_speak' | 'session_end', turn = 0): OutgoingEvent => {
    sequence++
    const bodies = {
      session_start: { type: 'session_start', session },
      user_speak: { type: 'user_speak', session, text: 'hello', barged_in: false },
      session_end: { type: 'session_end', session, reason: 'caller_hangup' },
    } as const
    return { id: `${sessionId}-${sequence}`, sessionId, accountId, sequence, turn, body: bodies[type] }
  }
}

/** Writes down what a conversation tells. */
export const watcher = (): EndpointChannelObserver & {
  acted: EndpointReply[]
  /** Why messages could not be read. */
  refused: string[]
  late: [OutgoingEvent, EndpointReply][]
  /** Sound. */
  pieces: EndpointPiece[]
  lostTimes: number
} => ({
  acted: [],
  refused: [],
  late: [],
  pieces: [],
  lostTimes: 0,
  acts(answer) {
    if (answer.refused === undefined) this.acted.push(answer)
    else this.refused.push(answer.refused)
  },
  repliedLate(event, answer) {
    this.late.push([event, answer])
  },
  sounds(piece) {
    this.pieces.push(piece)
  },
  lost() {
    this.lostTimes++
  },
})

export const waiting = new AbortController().signal

/** Lets time pass until it is over: so much while the event loop turns a few times. */
export const advanceUntil = async (clock: VirtualClock, over: Promise<unknown>, stepMs: number): Promise<void> => {
  const time = { isPassing: true }
  const stop = (): unknown => (time.isPassing = false)
  over.then(stop, stop)
  while (time.isPassing) await clock.advance(stepMs)
  await over
}

/** Turns the event loop until it is so. */
export const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}
