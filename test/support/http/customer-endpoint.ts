import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Action } from '@offhook/contract/assistant/actions.ts'
import { realClock } from '#adapters/clock/clocks.ts'
import { openEndpoints } from '#adapters/endpoint/endpoints.ts'
import { outboundHttp } from '#adapters/outbound-http.ts'
import { outboundSockets } from '#adapters/outbound-sockets.ts'
import { sqliteStore } from '#adapters/store/sqlite-store.ts'
import { openVault } from '#adapters/vault/file-vault.ts'
import { createAccount } from '#core/account/accounts/create-account.ts'
import { Listeners } from '#core/assistant/delivery/listeners/remote-listeners.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { EndpointPiece, EndpointReply, EndpointChannelObserver, OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { OutboundHttp, OutboundSockets } from '#core/kernel/ports/outbound.ts'
import type { Flow, FlowSettings } from '#core/kernel/ports/store/assistant.ts'
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
  /** Number of WebSocket upgrade requests. */
  upgrades: number
  /** A number: status of the response instead. */
  takesSockets: boolean | number
  /** Drops all connections. */
  hangUp(): void
}

type Answerer = (received: Received, response: ServerResponse) => unknown
/** Without a listener, no WebSocket is opened. It answers pings itself, if it chooses to. */
type Listener = (socket: WebSocket, request: IncomingMessage) => unknown

/** Customer's server that follows the test's script. */
export const startCustomer = async (
  t: TestContext,
  answer: Answerer = (_, response) => response.end(),
  listen?: Listener,
): Promise<Customer> => {
  const connections = new Set<Socket>()
  const hangUp = (): void => connections.forEach((socket) => socket.destroy())
  const customer: Customer = { address: '', received: [], sockets: [], upgrades: 0, takesSockets: listen !== undefined, hangUp }
  // Idle connections are closed by the client: one that the server closed at the moment of the next request would be an error.
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
  /** Client whose deadlines use another clock than the wall clock; closed with the rest. */
  outbound?: OutboundHttp
  sockets?: OutboundSockets
}

/** Endpoints of all customers on this machine, with one account, and a store with flows and the delivery log. */
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
  /** Actions received for ended sessions. */
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

/** Numbered events of one session. */
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

/** Records the events of a conversation. */
export const watcher = (): EndpointChannelObserver & {
  acted: EndpointReply[]
  /** Parse errors of messages. */
  refused: string[]
  late: [OutgoingEvent, EndpointReply][]
  /** Audio chunks. */
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

/** Advances time in steps until resolved, while the event loop turns a few times per step. */
export const advanceUntil = async (clock: VirtualClock, over: Promise<unknown>, stepMs: number): Promise<void> => {
  const time = { isPassing: true }
  const stop = (): unknown => (time.isPassing = false)
  over.then(stop, stop)
  while (time.isPassing) await clock.advance(stepMs)
  await over
}

/** Turns the event loop until the condition holds. */
export const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}
