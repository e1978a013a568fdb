import { readWav, wavFile } from '#media/sound/wav.ts'
import { BadRequest, inChunks, providerKey, ProviderServer, readJson, type ProviderRequest } from './provider-server.ts'
import { hearTones, sayInTones, textOf } from './tone-words.ts'

const voices = ['alloy', 'nova', 'af_heart']

export interface OpenAiServerOptions {
  /** Undefined: a self-hosted server without a key. */
  key?: string | undefined
  /** Sample rate of WAV files. */
  rate?: number
}

/** OpenAI's audio API under /v1. */
export const openAiServer = async ({ key = providerKey, rate = 24_000 }: OpenAiServerOptions = {}): Promise<ProviderServer> =>
  new ProviderServer({
    async answer(request) {
      if (key !== '' && request.headers.authorization !== `Bearer ${key}`) throw fault(401, 'invalid_api_key')
      if (request.method !== 'POST') throw fault(405, 'method_not_allowed')
      if (request.path === '/v1/audio/speech') return speak(request, rate)
      if (request.path === '/v1/audio/transcriptions') return transcribe(request)
      throw fault(404, 'unknown_url')
    },
  }).listen()

const fault = (status: number, code: string): BadRequest =>
  new BadRequest(status, {
    error: { message: 'Incorrect API key provided: sk-test-************cdef', type: 'invalid_request_error', code },
  })

const speak = ({ headers, body }: ProviderRequest, rate: number): { contentType: string; pieces: Uint8Array[] } => {
  if (headers['content-type'] !== 'application/json') throw fault(415, 'unsupported_media_type')
  const {
    model,
    input,
    voice,
    response_format: format,
    speed = 1,
  } = readJson(body, ['model', 'input', 'voice', 'response_format', 'speed'])
  if (model !== 'gpt-4o-mini-tts') throw fault(404, 'model_not_found')
  if (typeof input !== 'string' || input === '' || input.length > 4096) throw fault(400, 'invalid_input')
  if (!voices.includes(String(voice))) throw fault(400, 'invalid_voice')
  if (typeof speed !== 'number' || speed < 0.25 || speed > 4) throw fault(400, 'invalid_speed')
  if (format === 'pcm') return { contentType: 'audio/pcm', pieces: inChunks(sayInTones(input, 24_000)) }
  if (format !== 'wav') throw fault(400, 'invalid_format')
  const file = wavFile(sayInTones(input, rate), rate)
  // Like a server that does not know the length yet.
  new DataView(file.buffer).setUint32(40, 0xffffffff, true)
  return { contentType: 'audio/wav', pieces: [file.subarray(0, 17), file.subarray(17, 1000), file.subarray(1000)] }
}

const transcribe = async ({ headers, body }: ProviderRequest): Promise<{ contentType: string; pieces: Uint8Array[] }> => {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': headers['content-type'] ?? '' } }).formData()
  const file = form.get('file')
  if (!(file instanceof File) || !/\.(wav|mp3|webm)$/.test(file.name)) throw fault(400, 'invalid_file')
  if (typeof form.get('model') !== 'string') throw fault(400, 'missing_model')
  if (form.get('response_format') !== 'json') throw fault(400, 'invalid_format')
  const language = form.get('language') ?? 'en'
  if (typeof language !== 'string' || !/^[a-z]{2}$/.test(language)) throw fault(400, 'invalid_language_format')
  const { samples, rate } = readWav(new Uint8Array(await file.arrayBuffer()))
  const answer = JSON.stringify({ text: ` ${textOf(hearTones(samples, rate))}`, usage: { type: 'tokens', total_tokens: 9 } })
  return { contentType: 'application/json', pieces: [Buffer.from(answer)] }
}
