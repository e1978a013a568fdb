import type { Socket } from 'node:net'
import { WebSocket, type ClientOptions } from 'ws'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { OutboundFailure } from '#core/kernel/ports/outbound.ts'
import type { OutboundSocket, OutboundSockets, SocketEnd, SocketObserver, SocketRequest } from '#core/kernel/ports/outbound.ts'
import { checkedConnector, errorCode, refuseBadUrl, wallClock, type CheckedConnector, type OutboundOptions } from './checked-connector.ts'

/** Milliseconds that the other side has for the closing handshake. */
const goodbyeMs = 2_000
/** A peer that sends pings but does not read the pongs gets none: they would fill our memory. */
const maxUnreadBytes = 64 * 1024

export function outboundSockets(options: OutboundOptions): OutboundSockets {
  const connector = checkedConnector(options)
  const { clock = wallClock } = options
  const open = new Set<WebSocket>()
  return {
    connect(input, observer) {
      const socket = startSocket(connector, input)
      if (socket instanceof OutboundFailure) return refused(socket, observer)
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      return observed(socket, clock, input, observer)
    },
    async close() {
      for (const socket of open) socket.terminate()
      connector.close()
    },
  }
}

function startSocket(connector: CheckedConnector, { url, headers, maxBytes, subprotocol }: SocketRequest): WebSocket | OutboundFailure {
  try {
    const { protocol, port: given, hostname } = refuseBadUrl(url, 'ws', 'wss')
    const secure = protocol === 'wss:'
    const port = given ? Number(given) : secure ? 443 : 80
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    // Node also accepts a later connection; the types of ws do not declare that.
    const createConnection: unknown = (_: unknown, created: (error: Error | null, socket: Socket | null) => void): void =>
      connector.connect({ hostname: host, secure, port }, created)
    const options = {
      headers,
      maxPayload: maxBytes,
      perMessageDeflate: false,
      followRedirects: false,
      autoPong: false,
      closeTimeout: goodbyeMs,
    }
    const subprotocols = subprotocol === undefined ? [] : [subprotocol]
    return new WebSocket(url.replace(/#.*$/s, ''), subprotocols, {
      ...options,
      createConnection: createConnection as ClientOptions['createConnection'],
    })
  } catch (error) {
    return error instanceof OutboundFailure ? error : new OutboundFailure('refused', 'The WebSocket address cannot be used')
  }
}

function refused(failure: OutboundFailure, observer: SocketObserver): OutboundSocket {
  queueMicrotask(() => observer.closed({ opened: false, refused: true, message: failure.message }))
  const nothing = (): void => {}
  return { send: nothing, sendBytes: nothing, ping: nothing, pause: nothing, resume: nothing, close: nothing, destroy: nothing }
}

function observed(
  socket: WebSocket,
  clock: Pick<Clock, 'after'>,
  { handshakeMs }: SocketRequest,
  observer: SocketObserver,
): OutboundSocket {
  const end: SocketEnd = { opened: false, message: 'The connection was closed' }
  const inTime = clock.after(handshakeMs, () => {
    end.message = `No WebSocket within ${handshakeMs} ms`
    socket.terminate()
  })
  socket.on('open', () => {
    inTime()
    end.opened = true
    observer.opened()
  })
  socket.on('unexpected-response', (request, response) => {
    end.status = response.statusCode ?? 0
    end.message = `The endpoint answered ${end.status} instead of opening a WebSocket`
    request.destroy()
    socket.terminate()
  })
  socket.on('message', (data, isBinary) => (isBinary ? observer.saidBytes(data as Buffer) : observer.said(data as Buffer)))
  socket.on('ping', (data) => {
    if (isOpen(socket) && socket.bufferedAmount < maxUnreadBytes) socket.pong(data)
  })
  socket.on('pong', (data) => observer.pong(data.toString('latin1')))
  socket.on('error', (error) => {
    if (error instanceof OutboundFailure && error.kind === 'refused') end.refused = true
    if (end.message === 'The connection was closed') end.message = messageOf(error)
  })
  socket.once('close', (code) => {
    inTime()
    const left = end.opened && code !== 1006 && ({ left: true, code, message: `The endpoint closed the WebSocket with ${code}` } as const)
    observer.closed({ ...end, ...left })
  })
  return handle(socket)
}

const isOpen = (socket: WebSocket): boolean => socket.readyState === WebSocket.OPEN

const handle = (socket: WebSocket): OutboundSocket => ({
  send: (text) => {
    if (isOpen(socket)) socket.send(text)
  },
  sendBytes: (bytes) => {
    if (isOpen(socket) && socket.bufferedAmount < maxUnreadBytes) socket.send(bytes)
  },
  ping: (data) => {
    if (isOpen(socket)) socket.ping(data)
  },
  pause: () => socket.pause(),
  resume: () => socket.resume(),
  close: () => socket.close(1000),
  destroy: () => socket.terminate(),
})

function messageOf(error: Error): string {
  if (error instanceof OutboundFailure) return error.message
  if ('code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return 'A message was too large'
  return `The WebSocket failed (${errorCode(error)})`
}
