import { FormData, request, type Agent } from 'undici'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { SpeechUnavailable, type ExpectedAnswer, type SttOptions, type Transcript, type Utterance } from '#core/kernel/ports/speech.ts'
import { within } from '#core/kernel/work/waiting.ts'
import { resampleSound } from '#media/codec/resample.ts'
import { wavFile } from '#media/sound/wav.ts'
import { boundedText } from '#core/kernel/network/bounded-text.ts'
import { speakByOpenAi, transcribeByOpenAi } from '../providers/openai.ts'
import { providerAgent, ProviderHttp, type ProviderReply } from '../providers/provider-http.ts'
import { maxSoundBytes, readSound, VoiceChoice } from '../providers/provider-tts.ts'
import { Provider } from '../providers/provider.ts'
import { callerHeader, fields, modelOwner, type Urgency } from '../server/protocol.ts'

export interface ServerAddress {
  /** Up to where /audio/speech follows. */
  url: string
  key: string | undefined
  /** PEM of the server’s own certificate; undefined: one of a known authority. */
  certificate?: string | undefined
  /** It is certainly our own service. */
  ours: boolean
}

/** For servers that are not ours. */
export interface ThirdPartyModels {
  hearing: string
  speaking: string
  voice: string
}

interface ServerDeps {
  clock: Clock
  models: ThirdPartyModels
}

interface HearRequest {
  /** 8 kHz. */
  sound: Int16Array
  options: SttOptions
  urgency: Urgency | undefined
  expected: ExpectedAnswer | undefined
  /** Id of the caller's stream. */
  caller: string
}

/** Rate of synthesised sound. */
export const speechRate = 16_000
/** Servers with a single rate accept this one. */
const thirdPartyRate = 16_000
const heardRate = 8_000
const connectTimeoutMs = 2_000
/** Longer than the pause between two turns of a caller, shorter than the server's own limit. */
const idleConnectionMs = 60_000
/** Other servers exist, so a failed one is asked again soon. */
const restMs = 2_000
const probeTimeoutMs = 3_000
/** A long recording without a live caller. */
const patientAnswerMs = 120_000
const maxAnswerBytes = 200_000
const maxModelListBytes = 200_000

/** One speech service, ours or a third-party server with OpenAI's audio interface. */
export class SpeechServer {
  readonly address: ServerAddress
  readonly #gone = new AbortController()
  /** Announced: recogniser threads, and requests of all clients. */
  workers = 1
  running = 0
  ours: boolean
  #asked = 0
  readonly #models: ThirdPartyModels
  readonly #agent: Agent
  /** Hearing and speaking fail independently. */
  readonly #hearing: ProviderHttp
  readonly #speaking: ProviderHttp
  readonly #voices = new VoiceChoice()

  constructor(address: ServerAddress, { clock, models }: ServerDeps) {
    this.address = address
    this.ours = address.ours
    this.#models = models
    const { certificate: ca } = address
    const connect = { timeout: connectTimeoutMs, ...(ca !== undefined && pinned(ca)) }
    this.#agent = providerAgent({ connect, idleConnectionMs })
    const http = (): ProviderHttp => new ProviderHttp(new Provider('the speech service', clock, restMs), this.#agent)
    this.#hearing = http()
    this.#speaking = http()
  }

  /** Requests per thread; the least loaded server is asked first. */
  get load(): number {
    return (this.running + this.#asked) / this.workers
  }

  /** It has just failed. */
  restsFrom(work: 'hearing' | 'speaking'): boolean {
    return (work === 'hearing' ? this.#hearing : this.#speaking).provider.resting
  }

  /** Learns whether the server is ours. Rejects when it does not answer. */
  async probe(): Promise<void> {
    const { url, key } = this.address
    const headers = authorization(key)
    await within(this.#hearing.provider.clock, probeTimeoutMs, this.#gone.signal, async (signal) => {
      const { statusCode, body } = await request(`${url}/models`, { dispatcher: this.#agent, headers, signal })
      const text = await boundedText(body, maxModelListBytes)
      if (statusCode === 200) this.ours = isOurList(text)
    })
  }

  /** Undefined: a glance would have delayed others. */
  async transcribe(request: HearRequest, signal: AbortSignal): Promise<Transcript | undefined> {
    return this.#counted(signal, (stop) => (this.ours ? this.#askOurs(request, stop) : this.#askThirdParty(request, stop)))
  }

  async *speak(utterance: Utterance, signal: AbortSignal): AsyncGenerator<Int16Array> {
    this.#asked++
    try {
      const stop = AbortSignal.any([signal, this.#gone.signal])
      const reply = await (this.ours ? this.#speakOurs(utterance, stop) : this.#speakThirdParty(utterance, stop))
      yield* readSound(reply, 24_000, speechRate, this.#speaking.provider)
    } finally {
      this.#asked--
    }
  }

  /** Resolves when its running requests are answered. */
  finish(): Promise<void> {
    return this.#agent.close()
  }

  /** Its requests fail at once and go to another server. */
  async close(): Promise<void> {
    this.#gone.abort(new SpeechUnavailable('the speech service has left'))
    await this.#agent.destroy()
  }

  async #counted<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#asked++
    try {
      return await work(AbortSignal.any([signal, this.#gone.signal]))
    } finally {
      this.#asked--
    }
  }

  async #askOurs({ sound, options, urgency, expected, caller }: HearRequest, signal: AbortSignal): Promise<Transcript | undefined> {
    const body = new FormData()
    body.set('file', new Blob([new Uint8Array(wavFile(sound, heardRate))], { type: 'audio/wav' }), 'utterance.wav')
    body.set('model', 'offhook-stt')
    body.set(fields.languages, options.languages.join(','))
    body.set('prompt', options.vocabulary.join(','))
    if (urgency !== undefined) body.set(fields.urgency, urgency)
    if (expected !== undefined) body.set(fields.expected, expected.phrases.join('\n'))
    const { url, key } = this.address
    const headers = { ...authorization(key), [callerHeader]: caller }
    const answerMs = urgency === 'patient' ? { answerMs: patientAnswerMs } : {}
    const wanted = { url: `${url}/audio/transcriptions`, headers, body, maxBytes: maxAnswerBytes, ...answerMs }
    const { text, offhook = {} } = ((await this.#hearing.postForJson(wanted, signal)) ?? {}) as OwnAnswer
    if (typeof text !== 'string') throw this.#hearing.provider.fault('answers without a text')
    const { skipped, ...details } = offhook
    return skipped === true ? undefined : { text, ...details }
  }

  #askThirdParty({ sound, options, urgency }: HearRequest, signal: AbortSignal): Promise<Transcript | undefined> {
    if (urgency === 'glance') return Promise.resolve(undefined)
    const wav = wavFile(resampleSound(sound, heardRate, thirdPartyRate), thirdPartyRate)
    return transcribeByOpenAi(this.#hearing, { ...this.address, model: this.#models.hearing }, wav, options, signal)
  }

  #speakOurs({ text, language, voice, speed, pitch, ahead, ipa }: Utterance, signal: AbortSignal): Promise<ProviderReply> {
    const { url, key } = this.address
    const body = JSON.stringify({ model: 'offhook-tts', input: text, language, voice, speed, pitch, ahead, ipa, response_format: 'wav' })
    const headers = { 'content-type': 'application/json', ...authorization(key), [callerHeader]: 'speaker' }
    return this.#speaking.post({ url: `${url}/audio/speech`, headers, body, maxBytes: maxSoundBytes(text, speechRate) }, signal)
  }

  #speakThirdParty(utterance: Utterance, signal: AbortSignal): Promise<ProviderReply> {
    const { speaking: model, voice: usual } = this.#models
    const options = { ...this.address, model, voice: usual, format: 'wav' as const }
    const { voice: wanted } = utterance
    return this.#voices.ask(wanted, usual, (voice) => speakByOpenAi(this.#speaking, options, utterance, voice, signal))
  }
}

interface OwnAnswer {
  text?: unknown
  offhook?: Omit<Transcript, 'text'> & { skipped?: boolean }
}

/** Trusts this certificate alone. It names nobody. */
const pinned = (ca: string): object => ({ ca, allowPartialTrustChain: true, checkServerIdentity: () => undefined })

const authorization = (key: string | undefined): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` })

const isOurList = (text: string): boolean => {
  try {
    const { data } = JSON.parse(text) as { data?: { owned_by?: unknown }[] }
    return Array.isArray(data) && data.some((model) => model?.owned_by === modelOwner)
  } catch {
    return false
  }
}
