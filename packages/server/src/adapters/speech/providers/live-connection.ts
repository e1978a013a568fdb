import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'
import type { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import type { Provider } from './provider.ts'

const connectTimeoutMs = 4_000
const keepAliveMs = 4_000
/** How long the other side may take to say goodbye. */
const closeTimeout = 1_000
const maxMessageLength = 1_000_000
/** Sound is sent in pieces of 40 ms, and what has waited in pieces of half a second at most. */
const piece = 320
const maxPieceLength = 4_000
/** This much unsent sound (half a minute and more) means that the provider does not take it. */
const maxUnsent = 500_000

export interface HeardWord {
  text: string
  from: number
  to: number
  confidence?: number
}

/** Something that a provider heard, between two places of the track. */
export interface Heard {
  from: number
  to: number
  text: string
  /** Will not change any more. */
  final: boolean
  /** Where its words are, if the provider says so. */
  words?: HeardWord[]
  /** The speaker made a pause after it. */
  pause?: boolean
  confidence?: number
  language?: string
}

/** The provider cannot go on. `again`: perhaps it can on a new connection. */
export interface LiveFault {
  fault: SpeechUnavailable
  again: boolean
}

/** Reads what one connection says; it began with the sample at `start`. */
export interface LiveReader {
  /** Everything up to this place was asked for. */
  finishing(place: number): void
  /** May throw when it is not what it should be. */
  read(message: Record<string, unknown>, sent: number): Heard | LiveFault | undefined
}

/** How one provider is spoken to. */
export interface LiveDialect {
  url: string
  headers: Record<string, string>
  sound(samples: Int16Array): string | Uint8Array
  /** Asks for the final words of all sound that was sent. */
  finish: string
  keepAlive?: string
  goodbye?: string
  reader(start: number): LiveReader
}

export interface LiveObserver {
  opened(): void
  heard(heard: Heard): void
  /** Once, unless it was closed before. */
  broke(fault: LiveFault): void
}

/** One WebSocket over which a track is sent as it grows. */
export class LiveConnection {
  /** Resolves when nothing is left of it. */
  readonly closed: Promise<void>
  readonly #provider: Provider
  readonly #dialect: LiveDialect
  readonly #track: SoundTrack
  readonly #observer: LiveObserver
  readonly #socket: WebSocket
  readonly #reader: LiveReader
  #sent: number
  #ended = false
  #cancelTimer: () => void

  constructor(provider: Provider, dialect: LiveDialect, track: SoundTrack, start: number, observer: LiveObserver) {
    this.#provider = provider
    this.#dialect = dialect
    this.#track = track
    this.#observer = observer
    // What is older has been overwritten.
    this.#sent = track.length - track.read(start).length
    track.needs('stream', this.#sent)
    this.#reader = dialect.reader(this.#sent)
    const { url, headers } = dialect
    const options = { headers: { 'user-agent': 'Offhook', ...headers }, perMessageDeflate: false, maxPayload: maxMessageLength, closeTimeout }
    this.#socket = new WebSocket(url, options)
    this.closed = new Promise((resolve) => this.#socket.once('close', () => resolve()))
    this.#cancelTimer = provider.clock.after(connectTimeoutMs, () =>
      this.#broken(provider.fault(`did not answer within ${connectTimeoutMs} ms`), true),
    )
    this.#listen()
  }

  get open(): boolean {
    return !this.#ended && this.#socket.readyState === WebSocket.OPEN
  }

  /** Sends all the sound there is and asks for its words. */
  finish(): void {
    this.#catchUp()
    if (!this.open) return
    this.#socket.send(this.#dialect.finish)
    this.#reader.finishing(this.#sent)
  }

  /** Nothing more comes of it. */
  close(): void {
    if (this.#ended) return
    const { goodbye } = this.#dialect
    if (this.open && goodbye !== undefined) this.#socket.send(goodbye)
    this.#end()
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.close(1000)
    else this.#socket.terminate()
  }

  /** It is of no use any more; the observer is told so. */
  abandon(fault: SpeechUnavailable): void {
    this.#broken(fault, true)
  }

  #listen(): void {
    const socket = this.#socket
    socket.on('open', () => this.#opened())
    socket.on('message', (data, isBinary) => {
      if (!this.#ended && !isBinary) this.#read((data as Buffer).toString())
    })
    socket.on('unexpected-response', (request, response: IncomingMessage) => {
      const { statusCode = 0, headers } = response
      request.destroy()
      this.#broken(this.#provider.refusal(statusCode, { retryAfter: headers['retry-after'] }), statusCode >= 500)
    })
    socket.on('error', (error) => this.#broken(this.#provider.unreachable(error), true))
    socket.on('close', (code, reason) => this.#broken(this.#provider.fault(`closed the connection (${code}${faultCode(reason)})`), true))
  }

  #opened(): void {
    this.#cancelTimer()
    if (this.#ended) return
    this.#observer.opened()
    this.#keepAlive(this.#sent)
    void this.#pump()
  }

  async #pump(): Promise<void> {
    while (this.open) {
      this.#catchUp()
      if (this.#track.ended) return
      await this.#track.reaches(this.#sent + piece)
    }
  }

  #catchUp(): void {
    for (;;) {
      const samples = this.#track.read(this.#sent, Math.min(this.#track.length, this.#sent + maxPieceLength))
      if (samples.length === 0 || !this.open) return
      this.#socket.send(this.#dialect.sound(samples))
      this.#sent += samples.length
      this.#track.needs('stream', this.#sent)
      if (this.#socket.bufferedAmount > maxUnsent) this.#broken(this.#provider.fault('takes no more sound'), true)
    }
  }

  /** A track that does not grow for a while, on hold for example, must not look like a dead connection. */
  #keepAlive(sentBefore: number): void {
    const { keepAlive } = this.#dialect
    if (keepAlive === undefined || this.#ended) return
    this.#cancelTimer = this.#provider.clock.after(keepAliveMs, () => {
      if (this.#sent === sentBefore && this.open) this.#socket.send(keepAlive)
      this.#keepAlive(this.#sent)
    })
  }

  #read(text: string): void {
    let result: Heard | LiveFault | undefined
    try {
      result = this.#reader.read(JSON.parse(text) as Record<string, unknown>, this.#sent)
    } catch (error) {
      this.#broken(this.#provider.fault('says something that cannot be understood', error), true)
      return
    }
    if (!result) return
    if ('fault' in result) this.#broken(result.fault, result.again)
    else this.#observer.heard(result)
  }

  #broken(fault: SpeechUnavailable, again: boolean): void {
    if (this.#ended) return
    this.#end()
    this.#socket.terminate()
    this.#observer.broke({ fault, again })
  }

  #end(): void {
    this.#ended = true
    this.#track.needs('stream', undefined)
    this.#cancelTimer()
  }
}

/** Such as NET-0001, if there is one. */
const faultCode = (reason: Buffer): string => {
  const code = /\b[A-Z]{3,5}-\d{4}\b/.exec(reason.toString())?.[0]
  return code === undefined ? '' : `, ${code}`
}
