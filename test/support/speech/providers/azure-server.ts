import { SaxesParser } from 'saxes'
import { readWav } from '#media/sound/wav.ts'
import { BadRequest, inChunks, providerKey, ProviderServer, type ProviderRequest } from './provider-server.ts'
import { hearTones, sayInTones, textOf } from './tone-words.ts'

const voices = ['de-DE-KatjaNeural', 'en-US-JennyNeural', 'en-US-GuyNeural']

/** Speech resource with its own domain: /tts and /stt. */
export const azureServer = (): Promise<ProviderServer> =>
  new ProviderServer({
    async answer(request) {
      if (request.headers['ocp-apim-subscription-key'] !== providerKey) throw new BadRequest(401, { error: { code: '401' } })
      if (request.path === '/tts/cognitiveservices/v1') return speak(request)
      if (request.path === '/stt/speech/recognition/conversation/cognitiveservices/v1') return recognise(request)
      throw new BadRequest(404, {})
    },
  }).listen()

const speak = ({ headers, body }: ProviderRequest): { contentType: string; pieces: Uint8Array[] } => {
  if (headers['content-type'] !== 'application/ssml+xml') throw new BadRequest(415, {})
  if (headers['x-microsoft-outputformat'] !== 'raw-16khz-16bit-mono-pcm') throw new BadRequest(400, {})
  if (!headers['user-agent']) throw new BadRequest(400, {})
  return { contentType: 'audio/basic', pieces: inChunks(sayInTones(readSsml(body.toString()), 16_000)) }
}

/** Text, if Azure would speak it. */
const readSsml = (document: string): string => {
  const parser = new SaxesParser()
  const open: string[] = []
  let text = ''
  let problem: string | undefined
  parser.on('error', ({ message }) => (problem ??= message))
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length === 0 && (name !== 'speak' || attributes['version'] !== '1.0' || !attributes['xml:lang'])) problem ??= 'speak'
    if (open.length === 0 && attributes['xmlns'] !== 'http://www.w3.org/2001/10/synthesis') problem ??= 'xmlns'
    if (open.length === 1 && name !== 'voice') problem ??= `${name} outside voice`
    if (name === 'voice' && (open.length !== 1 || !voices.includes(attributes['name'] ?? ''))) problem ??= 'voice'
    open.push(name)
  })
  parser.on('closetag', () => void open.pop())
  parser.on('text', (part) => {
    if (open.length === 1 && part.trim() !== '') problem ??= 'text outside voice'
    text += part
  })
  parser.on('cdata', (part) => (text += part))
  parser.write(document).close()
  if (problem !== undefined) throw new BadRequest(400, { error: { code: 'bad_ssml', message: problem } })
  return text
}

const recognise = ({ headers, query, body }: ProviderRequest): { contentType: string; pieces: Uint8Array[] } => {
  if (headers['content-type'] !== 'audio/wav; codecs=audio/pcm; samplerate=16000') throw new BadRequest(415, {})
  if (!/^[a-z]{2,3}-[A-Z]{2}$/.test(query.get('language') ?? '') || query.get('format') !== 'detailed') throw new BadRequest(400, {})
  const { samples, rate } = readWav(body)
  if (rate !== 16_000 || samples.length > 60 * rate) throw new BadRequest(400, {})
  const text = textOf(hearTones(samples, rate))
  const best = { Confidence: 0.93, Lexical: text, ITN: text, MaskedITN: text, Display: text }
  const answer =
    text === ''
      ? { RecognitionStatus: 'InitialSilenceTimeout', Offset: 0, Duration: 0 }
      : { RecognitionStatus: 'Success', Offset: 0, Duration: 0, NBest: [best] }
  return { contentType: 'application/json; charset=utf-8', pieces: [Buffer.from(JSON.stringify(answer))] }
}
