import type { WebSocket } from 'ws'
import { G711 } from '#media/codec/g711.ts'
import { BadRequest, inChunks, providerKey, ProviderServer, readJson, type ProviderRequest } from './provider-server.ts'
import { hearTones, sayInTones, textOf } from './tone-words.ts'

const voices = ['EXAVITQu4vr4xnSDxMaL', '21m00Tcm4TlvDq8ikWAM']
const rate = 8000

/** POST /v1/text-to-speech/{voice}/stream and wss /v1/speech-to-text/realtime. */
export const elevenLabsServer = (): Promise<ProviderServer> =>
  new ProviderServer({
    async answer(request) {
      checkKey(request)
      return speak(request)
    },
    accept(request) {
      checkKey(request)
      const { query } = request
      if (request.path !== '/v1/speech-to-text/realtime') throw new BadRequest(404, {})
      if (query.get('model_id') !== 'scribe_v2_realtime' || query.get('audio_format') !== 'ulaw_8000') throw new BadRequest(400, {})
      if (query.get('commit_strategy') !== 'manual') throw new BadRequest(400, {})
      if (query.getAll('keyterms').length > 50 || query.getAll('keyterms').some((term) => term.length > 20)) throw new BadRequest(400, {})
      return (socket, server) => new Scribe(socket, server)
    },
  }).listen()

const checkKey = ({ headers }: ProviderRequest): void => {
  if (headers['xi-api-key'] !== providerKey)
    throw new BadRequest(401, { detail: { status: 'invalid_api_key', message: 'Invalid API key' } })
}

const speak = ({ path, query, headers, body }: ProviderRequest): { contentType: string; pieces: Uint8Array[] } => {
  const voice = /^\/v1\/text-to-speech\/([^/]+)\/stream$/.exec(path)?.[1]
  if (voice === undefined) throw new BadRequest(404, { detail: 'Not Found' })
  if (!voices.includes(voice)) throw new BadRequest(404, { detail: { status: 'voice_not_found', message: 'A voice was not found.' } })
  if (query.get('output_format') !== 'pcm_16000') throw new BadRequest(422, { detail: [{ loc: ['query', 'output_format'] }] })
  if (headers['content-type'] !== 'application/json') throw new BadRequest(415, {})
  const { text, model_id, language_code, voice_settings } = readJson(body, ['text', 'model_id', 'language_code', 'voice_settings'])
  if (typeof text !== 'string' || text === '') throw new BadRequest(422, { detail: { status: 'empty_text' } })
  if (model_id === 'eleven_multilingual_v2' && language_code !== undefined)
    throw new BadRequest(400, { detail: { status: 'unsupported_language' } })
  const { speed = 1 } = (voice_settings ?? {}) as { speed?: number }
  if (speed < 0.7 || speed > 1.2) throw new BadRequest(400, { detail: { status: 'invalid_voice_settings' } })
  return { contentType: 'audio/pcm', pieces: inChunks(sayInTones(text, 16_000)) }
}

/** One conversation: a text for each commit. */
class Scribe {
  readonly #socket: WebSocket
  readonly #server: ProviderServer
  readonly #codec = new G711('PCMU')
  #samples = new Int16Array(0)
  #committed = 0
  #told = ''

  constructor(socket: WebSocket, server: ProviderServer) {
    this.#socket = socket
    this.#server = server
    socket.on('message', (data) => this.#hear((data as Buffer).toString()))
    this.#send({ message_type: 'session_started', session_id: 'a', config: {} })
  }

  #hear(text: string): void {
    const { message_type: type, audio_base_64: sound, sample_rate, commit } = JSON.parse(text) as Record<string, unknown>
    if (type !== 'input_audio_chunk' || typeof sound !== 'string' || sample_rate !== rate) {
      this.#send({ message_type: 'input_error', error: 'Bad chunk' })
      return
    }
    if (this.#server.fault === 'garbage') this.#socket.send('{"message_type": ')
    if (this.#server.fault === 'cut') this.#socket.terminate()
    this.#add(Buffer.from(sound, 'base64'))
    if (this.#server.fault === 'stall') return
    if (commit === true) this.#commit()
    else this.#notify()
  }

  #add(bytes: Buffer): void {
    const longer = new Int16Array(this.#samples.length + bytes.length)
    longer.set(this.#samples)
    this.#codec.decode(bytes, 0, bytes.length, longer, this.#samples.length)
    this.#samples = longer
  }

  #words(): string {
    return textOf(hearTones(this.#samples.subarray(this.#committed), rate))
  }

  #notify(): void {
    const words = this.#words()
    if (words === this.#told) return
    this.#told = words
    this.#send({ message_type: 'partial_transcript', text: words })
  }

  #commit(): void {
    this.#server.requests.push({ method: 'commit', path: '', query: new URLSearchParams(), headers: {}, body: Buffer.alloc(0) })
    if (this.#samples.length - this.#committed < 0.3 * rate) {
      this.#send({ message_type: 'commit_throttled', error: 'Commit request ignored: too little uncommitted audio.' })
      return
    }
    this.#send({ message_type: 'committed_transcript', text: this.#words() })
    this.#committed = this.#samples.length
    this.#told = ''
  }

  #send(message: Record<string, unknown>): void {
    this.#socket.send(JSON.stringify(message))
  }
}
