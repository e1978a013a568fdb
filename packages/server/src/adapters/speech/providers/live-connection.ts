import { parseBoundedJson } from '@offhook/contract/bounded-json.ts'
import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { SpeechUnavailable } from '#core/kernel/ports/speech.ts'
import type { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import type { Provider } from './provider.ts'

const connectTimeoutMs = 4_000
const keepAliveMs = 4_000
/** Milliseconds that the provider has to close the connection. */
const closeTimeout = 1_000
const maxMessageLength = 1_000_000
/** Sound is sent in chunks of 40 ms; delayed sound in chunks of up to half a second. */
const piece = 320
const maxPieceLength = 4_000
/** This much unsent sound (more than half a minute) means that the provider does not accept it. */
const maxUnsent = 500_000

export interface HeardWord {
  text: string
  from: number
  to: number
  confidence?: number
}

/** Words of the provider for a section of the track. */
export interface Heard {
  from: number
  to: number
  text: string
  /** A final result; it will not change. */
  final: boolean
  /** Word positions, if the provider sends them. */
  words?: HeardWord[]
  /** The speaker paused after it. */
  pause?: boolean
  confidence?: number
  language?: string
}

/** The provider cannot continue. `again`: a new connection may help. */
export interface LiveFault {
  fault: SpeechUnavailable
  again: boolean
}

/** Parses the messages of one connection, which began with the sample at `start`. */
export interface LiveReader {
  /** Everything up to this position was requested. */
  finishing(place: number): void
  /** May throw on a malformed message. */
  read(message: Record<string, unknown>, sent: number): Heard | LiveFault | undefined
}

/** Protocol of one provider. */
export interface LiveDialect {
  url: string
  headers: Record<string, string>
  sound(samples: Int16Array): string | Uint8Array
  /** Requests final results for all sound that was sent. */
  finish: string
  keepAlive?: string
  goodbye?: string
  reader(start: number): LiveReader
}

interface LiveObserver {
  opened(): void
  heard(heard: Heard): void
  /** Called once, unless the connection was closed before. */
  broke(fault: LiveFault): void
}

/** A WebSocket that streams a growing track. */
export class LiveConnection {
  /** Resolves when the socket is closed. */
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
    // Older sound has been overwritten.
    this.#sent = track.length - track.read(start).length
    track.needs('stream', this.#sent)
    this.#reader = dialect.reader(this.#sent)
    const { url, headers } = dialect
    const options = {
      headers: { 'user-agent': 'Offhook', ...headers },
      perMessageDeflate: false,
      maxPayload: maxMessageLength,
      closeTimeout,
    }
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

  /** Sends all available sound and requests its final words. */
  finish(): void {
    this.#catchUp()
    if (!this.open) return
    this.#socket.send(this.#dialect.finish)
    this.#reader.finishing(this.#sent)
  }

  /** Closes the connection; its results are dropped. */
  close(): void {
    if (this.#ended) return
    const { goodbye } = this.#dialect
    if (this.open && goodbye !== undefined) this.#socket.send(goodbye)
    this.#end()
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.close(1000)
    else this.#socket.terminate()
  }

  /** Drops the connection and notifies the observer. */
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

  /** A track that does not grow for a while, for example on hold, must not look like a dead connection. */
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
      result = this.#reader.read(parseBoundedJson(text) as Record<string, unknown>, this.#sent)
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

/** Code such as NET-0001, if there is one. */
const faultCode = (reason: Buffer): string => {
  const code = /\b[A-Z]{3,5}-\d{4}\b/.exec(reason.toString())?.[0]
  return code === undefined ? '' : `, ${code}`
}
