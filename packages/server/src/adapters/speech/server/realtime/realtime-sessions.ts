import { parseBoundedJson } from '@offhook/contract/bounded-json.ts'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Log } from '#log/log-events.ts'
import { overloaded, ServiceError } from '../service-error.ts'
import { RealtimeSession, type RealtimeDeps } from './realtime-session.ts'

interface SessionsDeps extends Omit<RealtimeDeps, 'onFault'> {
  clock: Clock
  log: Log
  /** Recogniser threads. */
  workers: number
}

/** A second of sound has 64 kB in base64. */
const maxMessageBytes = 1_000_000
const maxWaitingMessages = 32
const sessionsPerWorker = 50
/** Milliseconds without a message before a session ends. */
const silentMs = 5 * 60_000
/** Bytes that a client has not read yet. */
const maxUnread = 1_000_000

/** WebSockets at `/v1/realtime`. */
export class RealtimeSessions {
  readonly #deps: SessionsDeps
  readonly #open = new Set<WebSocket>()
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => offered.has('realtime') && 'realtime',
  })

  constructor(deps: SessionsDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#open.size
  }

  /** Throws ServiceError. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if ((request.url ?? '').split('?', 1)[0] !== '/v1/realtime')
      throw new ServiceError(404, 'unknown_url', 'WebSockets are at /v1/realtime.')
    if (this.size >= sessionsPerWorker * this.#deps.workers) throw overloaded()
    this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#serve(webSocket))
  }

  close(): void {
    for (const socket of this.#open) socket.terminate()
  }

  #serve(socket: WebSocket): void {
    this.#open.add(socket)
    const { clock, log } = this.#deps
    const onFault = (error: unknown): void => log('speech_request_failed', { err: error })
    const session = new RealtimeSession({ ...this.#deps, onFault }, (event) => {
      if (socket.bufferedAmount > maxUnread) socket.terminate()
      else if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(event))
    })
    const endWhenSilent = (): (() => void) => clock.after(silentMs, () => socket.close(1001, 'silent'))
    let cancelTimer = endWhenSilent()
    // One message after the other; a client that sends faster than the detector reads has to wait.
    let waiting = 0
    let last = Promise.resolve()
    socket.on('message', (data, isBinary) => {
      cancelTimer()
      cancelTimer = endWhenSilent()
      if (++waiting === maxWaitingMessages) socket.pause()
      last = last.then(async () => {
        await session.take(isBinary ? {} : readEvent(data as Buffer))
        if (--waiting === 0) socket.resume()
      })
    })
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      cancelTimer()
      this.#open.delete(socket)
      session.close()
    })
  }
}

/** A message that is no event has no type, which the session reports. */
const readEvent = (data: Buffer): Record<string, unknown> => {
  try {
    const event = parseBoundedJson(data.toString('utf8'))
    return typeof event === 'object' && event !== null ? (event as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
