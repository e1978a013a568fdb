import { callIdOf } from '@offhook/contract/assistant/session.ts'
import { userAgent } from '#core/kernel/webhook/standard-webhooks.ts'
import { EventBuffer, type Buffered } from '#core/assistant/delivery/events/event-buffer.ts'
import { gatewayRequest, keyHeaders } from '#core/assistant/delivery/events/event-headers.ts'
import { maxReplyBytes, readEndpointReply, refusedReply } from '#core/assistant/delivery/replies/read-endpoint-reply.ts'
import { isFinal, pauseBeforeReconnect, reconnectBudgetMs } from '#core/assistant/delivery/attempts/attempt.ts'
import type { EndpointReply, DeliveryTry, NamedSession, OutgoingEvent } from '#core/kernel/ports/assistant.ts'
import type { OutboundSocket, SocketEnd, SocketObserver, SocketRequest } from '#core/kernel/ports/outbound.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import type { DeliveryAmendment } from '#core/kernel/ports/store/session.ts'
import { headersOf, callSpanId } from '#core/kernel/trace/tracer.ts'
import { totalMsOf, type EndpointDeps } from './webhook-channel.ts'
import { UnconfirmedEvents } from './unconfirmed-events.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'

const handshakeMs = 3_000
const pingIntervalMs = 20_000
const maxMisses = 2
/** Code of a close frame without one (RFC 6455 §7.1.5). */
const withoutCode = 1005

interface EndpointSocketObserver {
  said(reply: EndpointReply): void
  /** Sound; only if requested. */
  sounded?(bytes: Buffer): void
  arrived(event: OutgoingEvent): void
  /** The endpoint is unreachable; `gone`: it answered that it is gone for good. */
  givenUp(message: string, gone: boolean): void
}

interface EndpointSocketRequest {
  flow: Flow
  url: string
  sessionId: string
  trace: NamedSession['trace']
}

/** An empty reply: distinguishes an endpoint without an answer from a slow one. Other messages may be anything. */
const isNothing = (message: Buffer): boolean => message.length < 20 && /^\s*(\[\s*\]|\{\s*\}|null)\s*$/.test(message.toString())

/**
 * The WebSocket to an endpoint for one session, over all its connections. Each event is followed by a ping with its number: the pong, which
 * every WebSocket sends automatically, confirms its arrival. Unconfirmed events are sent again after a reconnect.
 */
export class EndpointSocket {
  readonly #deps: EndpointDeps
  readonly #input: EndpointSocketRequest
  readonly #observer: EndpointSocketObserver
  readonly #buffer = new EventBuffer()
  readonly #unconfirmed: UnconfirmedEvents
  readonly #limit: FrameLimit
  #socket: OutboundSocket | undefined
  #isOpen = false
  #wasOpen = false
  #ended = false
  #mayLeave = false
  /** This connection has carried the end of the session. */
  #hasSentEnd = false
  #latest: OutgoingEvent | undefined
  #sent = 0
  #failed = 0
  /** Time at which reconnecting is given up. */
  #until: number
  #misses = 0
  #cancelTimer: () => void = () => {}

  constructor(deps: EndpointDeps, input: EndpointSocketRequest, observer: EndpointSocketObserver) {
    this.#deps = deps
    this.#input = input
    this.#observer = observer
    this.#unconfirmed = new UnconfirmedEvents(deps, input.flow.id, input.url)
    this.#limit = new FrameLimit(deps.clock)
    this.#until = deps.clock.elapsed() + Math.min(totalMsOf(input.flow), reconnectBudgetMs)
    this.#connect()
  }

  /** False when it is too far behind; then it has been given up. */
  put(event: OutgoingEvent, which?: DeliveryTry): boolean {
    if (which) this.#unconfirmed.expect(event, which)
    this.#latest = event
    const buffered = this.#ended ? undefined : this.#buffer.put(event)
    if (!buffered) this.#giveUp('the endpoint does not confirm that events arrive')
    else if (this.#isOpen) this.#transmit(buffered)
    return buffered !== undefined
  }

  /** Dropped while there is no connection. */
  putSound(bytes: Buffer): void {
    if (this.#isOpen) this.#socket?.sendBytes(bytes)
  }

  amend(eventId: string, amendment: DeliveryAmendment): void {
    this.#unconfirmed.amend(eventId, amendment)
  }

  wasSent(event: OutgoingEvent): boolean {
    return this.#unconfirmed.hasBegun(event)
  }

  /** Unconfirmed events, for another channel. */
  takeAll(): OutgoingEvent[] {
    return this.#buffer.takeAll()
  }

  get ended(): boolean {
    return this.#ended
  }

  /** From now on a close by the endpoint is final. */
  letLeave(): void {
    this.#mayLeave = true
  }

  /** With a closing handshake. */
  close(): void {
    if (!this.#end('the session is over')) return
    this.#socket?.close()
  }

  destroy(message: string): void {
    if (!this.#end(message)) return
    this.#socket?.destroy()
  }

  #end(message: string): boolean {
    if (this.#ended) return false
    this.#ended = true
    this.#cancelTimer()
    this.#limit.close()
    this.#unconfirmed.broke(message)
    return true
  }

  #giveUp(message: string, gone = false): void {
    if (this.#ended) return
    this.destroy(message)
    this.#observer.givenUp(message, gone)
  }

  #connect(): void {
    const { flow, url, sessionId, trace } = this.#input
    const callId = callIdOf(sessionId)
    const { tracer, vault, clock } = this.#deps
    const leftMs = Math.max(this.#until - clock.elapsed(), 1)
    const ours = { 'user-agent': userAgent, ...headersOf(tracer, { callId, trace }, callSpanId(callId)) }
    let keys: Pick<SocketRequest, 'headers' | 'gateway'>
    try {
      keys = { headers: { ...ours, ...keyHeaders(flow.settings, vault) }, ...gatewayRequest(flow.settings, vault, clock.now()) }
    } catch {
      queueMicrotask(() => this.#giveUp('the key of the flow cannot be read'))
      return
    }
    const input = { url, ...keys, handshakeMs: Math.min(handshakeMs, leftMs), maxBytes: maxReplyBytes }
    this.#socket = this.#deps.sockets.connect(input, this.#listener())
  }

  #listener(): SocketObserver {
    return {
      opened: () => this.#opened(),
      said: (text) => this.#said(readEndpointReply(text, this.#input.sessionId), text),
      saidBytes: (bytes) => this.#sounded(bytes),
      pong: (data) => this.#confirmed(data),
      closed: (end) => this.#closed(end),
    }
  }

  #opened(): void {
    if (this.#ended) return this.#socket?.destroy()
    this.#isOpen = true
    this.#misses = 0
    if (this.#wasOpen) this.#resume()
    this.#wasOpen = true
    for (const buffered of this.#buffer.waiting) this.#transmit(buffered)
    this.#pingLater()
  }

  #resume(): void {
    const session = this.#latest?.body.session
    this.#socket?.send(JSON.stringify({ type: 'session_resume', session, last_sequence: this.#buffer.confirmed }))
    this.#socket?.ping('0')
  }

  #transmit(buffered: Buffered): void {
    this.#unconfirmed.began(buffered)
    this.#sent = Math.max(this.#sent, buffered.event.sequence)
    this.#hasSentEnd ||= buffered.event.body.type === 'session_end'
    this.#socket?.send(buffered.text)
    this.#socket?.ping(String(buffered.event.sequence))
  }

  #confirmed(data: string): void {
    if (this.#ended) return
    this.#misses = 0
    this.#failed = 0
    if (!/^\d{1,15}$/.test(data)) return
    for (const buffered of this.#buffer.confirm(Math.min(Number(data), this.#sent))) {
      this.#unconfirmed.arrived(buffered)
      this.#observer.arrived(buffered.event)
    }
  }

  #sounded(bytes: Buffer): void {
    if (!this.#observer.sounded) return this.#said(refusedReply('a message must be text, unless the flow has media'), Buffer.alloc(0))
    if (this.#ended) return
    if (this.#socket) this.#limit.count(this.#socket, bytes.length)
    this.#observer.sounded(bytes)
  }

  #said(reply: EndpointReply, message: Buffer): void {
    if (this.#ended) return
    if (this.#socket) this.#limit.count(this.#socket, message.length)
    this.#unconfirmed.heard(message, { actions: reply.actions.map(({ type }) => type), problems: reply.problems })
    if (reply.actions.length > 0 || reply.refused !== undefined || isNothing(message)) this.#observer.said(reply)
  }

  #pingLater(): void {
    this.#cancelTimer = this.#deps.clock.after(pingIntervalMs, () => {
      if (this.#misses >= maxMisses) return this.#socket?.destroy()
      this.#misses++
      this.#socket?.ping('0')
      this.#pingLater()
    })
  }

  #closed({ status, refused = false, left, code, message }: SocketEnd): void {
    if (this.#ended) return
    const { clock, random } = this.#deps
    const broken = this.#isOpen
    // An endpoint that has read session_end leaves: its close may overtake the pong.
    const isFarewell = (code === 1000 || code === withoutCode) && this.#hasSentEnd
    if (isFarewell) this.#confirmed(String(this.#sent))
    this.#isOpen = false
    this.#hasSentEnd = false
    this.#cancelTimer()
    this.#unconfirmed.broke(message)
    if (refused || isFinal(status) || isFarewell || (left && this.#mayLeave)) return this.#giveUp(message, status === 410)
    // A connection that repeatedly opens and breaks immediately counts like one that does not open.
    if (broken && this.#failed === 0) this.#until = clock.elapsed() + reconnectBudgetMs
    const pause = pauseBeforeReconnect(this.#failed++, { leftMs: this.#until - clock.elapsed(), random })
    if (pause === undefined) return this.#giveUp(message)
    this.#cancelTimer = clock.after(pause, () => this.#connect())
  }
}

/** Per second: enough for streamed text and for sound. */
const most = { frames: 500, bytes: 8 * 1024 * 1024 }
const windowMs = 1_000

/** Throttles an endpoint above this limit: reading pauses, and TCP applies backpressure. */
class FrameLimit {
  readonly #clock: Clock
  #since = 0
  #frames = 0
  #bytes = 0
  #cancel: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  count(socket: OutboundSocket, bytes: number): void {
    const now = this.#clock.elapsed()
    if (now - this.#since >= windowMs) this.#begin(now)
    this.#frames++
    this.#bytes += bytes
    if (this.#cancel || (this.#frames < most.frames && this.#bytes < most.bytes)) return
    socket.pause()
    this.#cancel = this.#clock.after(this.#since + windowMs - now, () => {
      this.#cancel = undefined
      socket.resume()
    })
  }

  close(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #begin(now: number): void {
    this.#since = now
    this.#frames = 0
    this.#bytes = 0
  }
}
