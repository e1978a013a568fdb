import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Certificate } from '#core/kernel/network/certificate.ts'
import { ConnectionLimit } from '#core/kernel/network/connection-limit.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { SpeechUnavailable, type Speech, type Stt, type Tts } from '#core/kernel/ports/speech.ts'
import { FairQueue } from '#core/kernel/work/fair-queue.ts'
import { atMost } from '#core/kernel/work/waiting.ts'
import type { Log } from '#log/log-events.ts'
import { maxWavBytes } from '#media/sound/wav.ts'
import { accessFor } from './access.ts'
import { callerHeader } from './protocol.ts'
import { modelList, modelNamed } from './models.ts'
import { RealtimeSessions } from './realtime/realtime-sessions.ts'
import { BodyMemory } from './read-body.ts'
import { ServiceError } from './service-error.ts'
import { maxTextLength, readSpeechForm, soundBytes } from './speech-request.ts'
import { answerOf, joinedText, readTranscriptionForm, type TranscriptionForm } from './transcription-request.ts'
import { transcribe, type Segment, type TranscriptionDeps } from './transcription.ts'

export interface SpeechServiceDeps {
  speech: Pick<Speech, 'vad'> & { stt: Stt; tts: Tts }
  clock: Clock
  log: Log
  /** Keys of clients. */
  keys: readonly string[]
  /** Recogniser threads. */
  workers: number
  /** Undefined: without TLS, for this machine alone. */
  certificate: Certificate | undefined
}

interface ServiceLoad {
  workers: number
  /** Requests at work, and requests that wait. */
  running: number
}

/** A form has a little more than its file. */
const maxFormBytes = maxWavBytes + 64 * 1024
/** JSON may escape each character. */
const maxDocumentBytes = 8 * maxTextLength + 4096
const maxHeldBytes = 96 * 1024 * 1024
/** Questions per recogniser thread that the recogniser gets: it chooses the most urgent of them. */
const runningPerWorker = 4
const waitingPerWorker = 64
/** Sentences per thread: the voices make them in chunks, in turns. */
const sentencesPerWorker = 16
const limits = { most: () => 1_000, inAll: 2_000 }
const headersTimeoutMs = 10_000
const requestTimeoutMs = 60_000
/** Clients keep connections between two turns of a caller. */
const keepAliveTimeoutMs = 75_000

/** Recognisers and voices over OpenAI's audio interface. */
export class SpeechService {
  readonly #deps: SpeechServiceDeps
  readonly #server: Server
  readonly #transcription: TranscriptionDeps
  readonly #sentences: FairQueue
  readonly #bodies = new BodyMemory(maxHeldBytes)
  readonly #requireKey: (request: IncomingMessage) => void
  readonly #connections = new ConnectionLimit(limits)
  readonly #sessions: RealtimeSessions
  #running = 0
  #draining = false
  #idle: () => void = () => {}

  constructor(deps: SpeechServiceDeps) {
    this.#deps = deps
    const { workers, clock, certificate, speech } = deps
    const each = { maxRunning: runningPerWorker * workers, maxRunningPerKey: runningPerWorker * workers }
    const queue = new FairQueue({ ...each, maxWaiting: waitingPerWorker * workers })
    const most = sentencesPerWorker * workers
    this.#sentences = new FairQueue({ maxRunning: most, maxRunningPerKey: most, maxWaiting: waitingPerWorker * workers })
    this.#transcription = { stt: speech.stt, clock, queue }
    this.#requireKey = accessFor(deps.keys)
    this.#sessions = new RealtimeSessions({ ...deps, transcription: this.#transcription })
    this.#server = certificate ? createSecureServer({ cert: certificate.cert, key: certificate.key }) : createServer()
    certificate?.onRenewed?.((renewed) => 'setSecureContext' in this.#server && (this.#server as SecureServer).setSecureContext(renewed))
    this.#prepareServer()
  }

  get load(): ServiceLoad {
    return { workers: this.#deps.workers, running: this.#running + this.#sessions.size }
  }

  /** Returns its URL. */
  async listen({ host, port }: { host: string; port: number }): Promise<string> {
    this.#server.listen(port, host)
    await once(this.#server, 'listening')
    const shown = host.includes(':') ? `[${host}]` : host
    return `${this.#deps.certificate ? 'https' : 'http'}://${shown}:${(this.#server.address() as AddressInfo).port}`
  }

  /** Rejects new requests; resolves when the running ones have ended, or after the timeout. */
  async drain(ms: number): Promise<void> {
    this.#draining = true
    if (this.#running === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#idle = resolve
    await atMost(this.#deps.clock, ms, promise, undefined)
  }

  async close(): Promise<void> {
    this.#draining = true
    this.#sessions.close()
    if (!this.#server.listening) return
    const closed = new Promise((done) => this.#server.close(done))
    this.#connections.destroyAll()
    await closed
  }

  #prepareServer(): void {
    const server = this.#server
    server.headersTimeout = headersTimeoutMs
    server.requestTimeout = requestTimeoutMs
    server.keepAliveTimeout = keepAliveTimeoutMs
    server.on('connection', (socket) => void this.#connections.admit(socket))
    server.on('request', (request, response) => void this.#serve(request, response))
    server.on('upgrade', (request, socket, head) => {
      try {
        this.#admit(request)
        this.#sessions.take(request, socket, head)
      } catch (error) {
        const { status, body } = shown(error)
        const text = JSON.stringify({ error: body })
        socket.end(
          `HTTP/1.1 ${status} Rejected\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
        )
      }
    })
  }

  #admit(request: IncomingMessage): void {
    this.#requireKey(request)
    if (this.#draining) throw new ServiceError(503, 'draining', 'The service is being stopped.', { retryAfterSeconds: 1 })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    response.once('close', () => gone.abort(new Error('the client has gone')))
    this.#running++
    try {
      await this.#answer(request, response, gone.signal)
    } catch (error) {
      if (!gone.signal.aborted && !request.errored) this.#reject(response, error)
    } finally {
      if (--this.#running === 0) this.#idle()
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse, gone: AbortSignal): Promise<void> | void {
    const { method, url = '/' } = request
    const path = url.split('?', 1)[0] ?? ''
    if (path === '/health' && method === 'GET') return sendJson(response, { status: this.#draining ? 'draining' : 'ok' })
    this.#admit(request)
    if (path === '/v1/models' && method === 'GET') return sendJson(response, modelList())
    if (path.startsWith('/v1/models/') && method === 'GET') return sendJson(response, modelNamed(path.slice('/v1/models/'.length)))
    if (path === '/v1/audio/voices' && method === 'GET') return sendJson(response, { voices: this.#deps.speech.tts.voices?.() ?? [] })
    if (path === '/v1/audio/transcriptions' && method === 'POST') return this.#transcribe(request, response, gone)
    if (path === '/v1/audio/speech' && method === 'POST') return this.#speak(request, response, gone)
    throw new ServiceError(404, 'unknown_url', `There is no ${method} ${path.slice(0, 100)} here.`)
  }

  async #transcribe(request: IncomingMessage, response: ServerResponse, gone: AbortSignal): Promise<void> {
    const { 'content-type': contentType = '' } = request.headers
    const { stt } = this.#deps.speech
    const form = await this.#bodies.use(request, maxFormBytes, (body) => readTranscriptionForm(body, contentType, stt))
    const segments = transcribe(this.#transcription, { ...form, caller: callerOf(request) }, gone)
    if (form.stream) return sendEvents(response, segments)
    const heard: Segment[] = []
    for await (const segment of segments) heard.push(segment)
    sendTranscript(response, heard, form, isOurs(request))
  }

  async #speak(request: IncomingMessage, response: ServerResponse, gone: AbortSignal): Promise<void> {
    const { tts } = this.#deps.speech
    const read = (body: Buffer) => Promise.resolve(readSpeechForm(body.toString('utf8'), tts, isOurs(request)))
    const { utterance, format } = await this.#bodies.use(request, maxDocumentBytes, read)
    const speak = async (): Promise<true> => {
      const sound = tts.synthesize(utterance, gone)
      await sendSound(response, soundBytes(sound, tts.rate, format), format, gone)
      return true
    }
    const spoken = await this.#sentences.run(callerOf(request), speak)
    if (!spoken) throw new ServiceError(503, 'overloaded', 'Too much is to be said at once. Try again.', { retryAfterSeconds: 1 })
  }

  #reject(response: ServerResponse, error: unknown): void {
    const { status, body, details } = shown(error)
    if (status === 500) this.#deps.log('speech_request_failed', { err: error })
    // Sound that breaks off tells the client that it is incomplete.
    if (response.headersSent) return void response.destroy()
    const headers = { ...(details.retryAfterSeconds !== undefined && { 'retry-after': details.retryAfterSeconds }), connection: 'close' }
    sendJson(response, { error: body }, status, headers)
  }
}

interface SecureServer {
  setSecureContext(pair: { cert: string; key: string }): void
}

const isOurs = ({ headers }: IncomingMessage): boolean => headers[callerHeader] !== undefined

/** Our call processes name each stream; other clients are told apart by their addresses. */
const callerOf = ({ headers, socket }: IncomingMessage): string => {
  const named = headers[callerHeader]
  return typeof named === 'string' ? named.slice(0, 64) : (socket.remoteAddress ?? '')
}

const shown = (error: unknown): ServiceError => {
  if (error instanceof ServiceError) return error
  if (error instanceof SpeechUnavailable) return new ServiceError(503, 'unavailable', `${error.message}.`, { retryAfterSeconds: 1 })
  return new ServiceError(500, 'internal_error', 'The service has a fault. Its log says more.')
}

const sendJson = (response: ServerResponse, body: unknown, status = 200, headers: Record<string, string | number> = {}): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

const sendTranscript = (response: ServerResponse, segments: readonly Segment[], { format }: TranscriptionForm, ours: boolean): void => {
  const { contentType, body } = answerOf(segments, format, ours)
  response.writeHead(200, { 'content-type': contentType }).end(body)
}

/** `transcript.text.delta` for each piece, then `transcript.text.done`. */
const sendEvents = async (response: ServerResponse, segments: AsyncIterable<Segment>): Promise<void> => {
  const sent: Segment[] = []
  const send = (event: object): void => void response.write(`data: ${JSON.stringify(event)}\n\n`)
  for await (const segment of segments) {
    if (sent.length === 0) response.writeHead(200, { 'content-type': 'text/event-stream' })
    const { text } = segment.transcript
    if (text !== '') send({ type: 'transcript.text.delta', delta: joinedText(sent) === '' ? text : ` ${text}` })
    sent.push(segment)
  }
  send({ type: 'transcript.text.done', text: joinedText(sent) })
  response.end()
}

/** The status waits for the first sound, so that a failed voice is an error. */
const sendSound = async (
  response: ServerResponse,
  bytes: AsyncIterable<Uint8Array>,
  format: 'wav' | 'pcm',
  gone: AbortSignal,
): Promise<void> => {
  let held: Uint8Array[] = []
  for await (const piece of bytes) {
    if (gone.aborted) return
    if (!response.headersSent) {
      held.push(piece)
      if (format === 'wav' && held.length === 1) continue
      response.writeHead(200, { 'content-type': format === 'wav' ? 'audio/wav' : 'audio/pcm' })
      response.write(Buffer.concat(held))
      held = []
    } else if (!response.write(piece)) await once(response, 'drain', { signal: gone })
  }
  if (!response.headersSent)
    response.writeHead(200, { 'content-type': format === 'wav' ? 'audio/wav' : 'audio/pcm' }).write(Buffer.concat(held))
  response.end()
}
