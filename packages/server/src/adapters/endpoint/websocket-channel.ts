import { mostNotes, type Action } from '@offhook/contract/assistant/actions.ts'
import { beginEntry } from '#core/assistant/delivery/attempts/attempt.ts'
import {
  EndpointUnavailable,
  type EndpointReply,
  type EndpointChannel,
  type EndpointChannelObserver,
  type DeliveryTry,
  type NamedSession,
  type OutgoingEvent,
  type EndpointPiece,
} from '#core/kernel/ports/assistant.ts'
import type { DeliveryState, ActionProblem } from '#core/kernel/ports/store/session.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import { resultWaitMs } from '#core/assistant/results/note-result.ts'
import { afterTheEnd, isNote } from '#core/assistant/session/endpoint/session-timeline.ts'
import { mediaOf, type Media } from '#core/account/flows/check-settings.ts'
import { type EndpointDeps, WebhookChannel } from './webhook-channel.ts'
import { EndpointSocket } from './endpoint-socket.ts'
import { G711 } from '#media/codec/g711.ts'
import { PieceResampler, Resampler } from '#media/codec/resample.ts'

/** Milliseconds after the session that the connection waits for session_end, which comes from the outbox. */
const lingerMs = 15_000

const nothingToDo: EndpointReply = { actions: [], problems: [] }
const never = new AbortController().signal

interface WebSocketChannelRequest {
  flow: Flow
  url: string
  session: NamedSession
  /** Called when it is no longer needed. */
  onOver: () => void
}

/** A channel over one WebSocket for the whole call; when it is lost for good, the flow's webhook, if any, takes over. */
export class WebSocketChannel implements EndpointChannel {
  readonly #deps: EndpointDeps
  readonly #input: WebSocketChannelRequest
  readonly #observer: EndpointChannelObserver
  readonly #socket: EndpointSocket
  readonly #webhook: WebhookChannel
  /** Undefined: the flow is text only. */
  readonly #sound: SoundCoder | undefined
  /** The audio_cleared event: sound sent before the endpoint could know about it is dropped. */
  #cleared: string | undefined
  #hasHalfSamples = false
  #state: 'socket' | 'webhook' | 'lost' = 'socket'
  #closed = false
  #latest: OutgoingEvent | undefined
  /** The endpoint reports its actions or sends notes, so it may do so after the session. */
  #tellsMore = false
  /** The endpoint knows the end of the session and may send its result. */
  #lingers = false
  #notesLeft = mostNotes
  /** Events that the webhook has to get first. */
  #backlog: Promise<void> = Promise.resolve()
  #end: { event: OutgoingEvent; arrival: PromiseWithResolvers<void> } | undefined
  #cancelLinger: () => void = () => {}

  constructor(deps: EndpointDeps, input: WebSocketChannelRequest, observer: EndpointChannelObserver) {
    this.#deps = deps
    this.#input = input
    this.#observer = observer
    const { flow, url, session } = input
    this.#webhook = new WebhookChannel(deps, flow, observer)
    const media = mediaOf(flow.settings)
    this.#sound = media && new SoundCoder(media)
    this.#socket = new EndpointSocket(
      deps,
      { flow, url, sessionId: session.id, trace: session.trace },
      {
        said: (reply) => this.#said(reply),
        ...(media && { sounded: (bytes) => this.#sounded(bytes) }),
        arrived: (event) => this.#arrived(event),
        givenUp: (message, gone) => this.#givenUp(message, gone),
      },
    )
  }

  get duplex(): boolean {
    return this.#state === 'socket'
  }

  async send(event: OutgoingEvent, signal: AbortSignal): Promise<EndpointReply> {
    this.#latest = event
    if (event.body.type === 'audio_cleared' && event.body.reason !== 'audio_clear') this.#cleared = event.id
    if (this.#state === 'socket' && this.#socket.put(event)) return nothingToDo
    await this.#backlog
    if (this.#state !== 'webhook') throw new EndpointUnavailable('the WebSocket is gone, and nothing takes its place')
    return this.#webhook.send(event, signal)
  }

  sendSound(samples: Int16Array<ArrayBuffer>): void {
    if (this.#sound && this.#state === 'socket' && !this.#closed) this.#socket.putSound(this.#sound.encode(samples))
  }

  /** The last event; resolves when it has arrived. The connection may stay open for later messages of the endpoint. */
  async sendEnd(event: OutgoingEvent, which: DeliveryTry, deadlineMs: number): Promise<void> {
    if (this.#end) return this.#end.arrival.promise // already being sent, and requested once more
    const arrival = Promise.withResolvers<void>()
    this.#end = { event, arrival }
    this.#latest = event
    const cancel = this.#deps.clock.after(deadlineMs, () => this.destroy('the end of the session was not confirmed in time'))
    if (!this.#socket.put(event, which)) arrival.reject(new EndpointUnavailable('the WebSocket is gone'))
    try {
      await arrival.promise
    } catch (error) {
      this.#omitted(event, (error as Error).message, which.last ? 'dead' : 'failed')
      this.#ended()
      throw error
    } finally {
      cancel()
    }
    this.#leave()
  }

  note(eventId: string, problems: readonly ActionProblem[], error?: string): void {
    this.#socket.amend(eventId, { actions: [], problems, error })
  }

  async close({ atOnce: immediately } = { atOnce: false }): Promise<void> {
    this.#closed = true
    await this.#webhook.close()
    if (this.#state !== 'socket' || this.#end) return
    if (immediately) return this.#hangUp()
    this.#cancelLinger = this.#deps.clock.after(lingerMs, () => this.#hangUp())
  }

  destroy(message: string): void {
    this.#socket.destroy(message)
    this.#end?.arrival.reject(new EndpointUnavailable(message))
    this.#ended()
  }

  /** Others do not wait for their end. */
  #leave(): void {
    if (!this.#tellsMore || this.#socket.ended) return this.#hangUp()
    this.#lingers = true
    this.#socket.letLeave()
    this.#cancelLinger()
    this.#cancelLinger = this.#deps.clock.after(resultWaitMs, () => this.#hangUp())
  }

  #hangUp(): void {
    this.#socket.close()
    this.#ended()
  }

  #said(reply: EndpointReply): void {
    this.#tellsMore ||= reply.actions.some((action) => isNote(action) || action.type === 'done')
    if (!this.#closed) return this.#observer.acts(reply)
    if (this.#latest) this.#saidAfterwards(reply.actions, this.#latest)
    if (this.#lingers && reply.actions.some(({ type }) => type === 'result')) this.#hangUp()
  }

  #saidAfterwards(actions: readonly Action[], event: OutgoingEvent): void {
    const notes = actions.filter(isNote).slice(0, this.#notesLeft)
    this.#notesLeft -= notes.length
    this.#deps.onAfterwards(this.#input.flow, event, notes)
    const others = actions.filter((action) => !isNote(action) && action.type !== 'done')
    if (others.length > 0)
      this.note(
        event.id,
        others.map(({ type }) => ({ index: -1, type, message: afterTheEnd })),
      )
  }

  #sounded(bytes: Buffer): void {
    if (this.#closed || this.#cleared !== undefined || bytes.length === 0) return
    const piece = this.#sound?.decode(bytes)
    if (piece) return this.#observer.sounds(piece)
    const problems = [{ index: -1, message: 'sound: a message of pcm16 must have whole samples of two bytes' }]
    if (!this.#hasHalfSamples) this.#observer.acts({ actions: [], problems })
    this.#hasHalfSamples = true
  }

  #arrived(event: OutgoingEvent): void {
    if (event.id === this.#cleared) this.#cleared = undefined
    if (event.id === this.#end?.event.id) this.#end.arrival.resolve()
  }

  #givenUp(message: string, gone: boolean): void {
    const { flow, session } = this.#input
    if (gone) this.#deps.disable(session.accountId, flow)
    // session_end is in the outbox, which retries it.
    const events = this.#socket.takeAll().filter(({ id }) => id !== this.#end?.event.id)
    this.#end?.arrival.reject(new EndpointUnavailable(message))
    this.#ended()
    for (const event of events) this.#omitted(event, message)
    const { webhookUrl, fallbackUrl } = flow.settings
    const hasWay = webhookUrl !== undefined || (fallbackUrl !== undefined && events.some(({ body }) => body.type === 'session_start'))
    if (!hasWay || this.#deps.closing.aborted) return this.#lose()
    this.#state = 'webhook'
    this.#backlog = this.#notifyByWebhook(events)
    this.#deps.track(this.#backlog)
  }

  /** Logs an event that was never sent. */
  #omitted(event: OutgoingEvent, message: string, state?: DeliveryState): void {
    const { log, clock } = this.#deps
    const way = { flowId: this.#input.flow.id, channel: 'websocket' } as const
    if (!this.#socket.wasSent(event)) beginEntry(log, () => clock.now(), way, event).omitted(message, state)
  }

  /** The session does not wait for these replies, so the actions are performed one by one. */
  async #notifyByWebhook(events: readonly OutgoingEvent[]): Promise<void> {
    try {
      for (const event of events) {
        const { actions, problems } = await this.#webhook.send(event, never)
        const placed = actions.map((action) => ({ turn: event.turn, ...action }))
        this.#notify((to) => to.acts({ actions: placed, problems }))
      }
    } catch {
      this.#lose()
    }
  }

  #lose(): void {
    this.#state = 'lost'
    this.#notify((to) => to.lost())
  }

  #notify(what: (observer: EndpointChannelObserver) => void): void {
    if (!this.#closed) what(this.#observer)
  }

  #ended(): void {
    this.#cancelLinger()
    this.#input.onOver()
  }
}

/** Sample rate of the VAD. */
const vadSampleRate = 8000
/** Maximum rate of feeds to calls. */
const maxFed = 16_000

/** Converts between the sound of a call and the wire format of its endpoint. One per session: filters have state. */
export class SoundCoder {
  readonly #media: Media
  readonly #law: G711 | undefined
  readonly #up: Resampler | undefined
  readonly #down: PieceResampler | undefined

  constructor(media: Media) {
    const { format, rate } = media
    this.#media = media
    this.#law = format === 'pcm16' ? undefined : new G711(format === 'pcmu' ? 'PCMU' : 'PCMA')
    this.#up = rate === vadSampleRate ? undefined : new Resampler(vadSampleRate, rate)
    this.#down = rate > maxFed ? new PieceResampler(rate, maxFed) : undefined
  }

  /** The caller's sound, for the endpoint. */
  encode(samples: Int16Array<ArrayBuffer>): Buffer {
    if (this.#law) {
      const bytes = Buffer.allocUnsafe(samples.length)
      this.#law.encode(samples, bytes, 0)
      return bytes
    }
    const out = this.#up ? new Int16Array((samples.length * this.#media.rate) / vadSampleRate) : samples
    this.#up?.process(samples, out)
    return Buffer.from(out.buffer, out.byteOffset, out.byteLength)
  }

  /** Undefined: the last sample is incomplete. */
  decode(bytes: Buffer): EndpointPiece | undefined {
    if (this.#law) {
      const samples = new Int16Array(bytes.length)
      this.#law.decode(bytes, 0, bytes.length, samples, 0)
      return { samples, rate: 8000 }
    }
    if (bytes.length % 2 !== 0) return undefined
    const samples = new Int16Array(bytes.length / 2)
    bytes.copy(Buffer.from(samples.buffer)) // a message may begin at an odd address
    if (this.#down) return { samples: this.#down.add(samples), rate: maxFed }
    return { samples, rate: this.#media.rate === 8000 ? 8000 : 16_000 }
  }
}
