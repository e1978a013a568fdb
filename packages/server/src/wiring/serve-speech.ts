import { randomBytes, randomUUID } from 'node:crypto'
import { selfMadeCertificate } from '#adapters/certificates/self-made.ts'
import { realClock } from '#adapters/clock/clocks.ts'
import { speechWorkers } from '#adapters/speech/models/model-list.ts'
import { Announcer } from '#adapters/speech/server/announcer.ts'
import { SpeechService } from '#adapters/speech/server/speech-service.ts'
import { readKeyFile } from '#adapters/vault/file-vault.ts'
import type { Certificate } from '#core/kernel/network/certificate.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import { MetricSources } from '#core/operate/metrics/families/metric-sources.ts'
import type { Log } from '#log/log-events.ts'
import { openLog } from '#log/log.ts'
import { CannotStart } from '#settings/cannot-start.ts'
import type { Settings } from '#settings/config.ts'
import { addressText } from '#settings/setting-values.ts'
import { ClosingOrder, type Open } from './closing.ts'
import { openBus } from './cluster/bus.ts'
import { reachable } from './cluster/neighbours.ts'
import { openCertificates, type Certificates } from './listening/certificates.ts'
import { lookAtMachine } from './machine/machine.ts'
import { keyFile, openKey } from './secret-key.ts'
import { openSpeech } from './speech.ts'

export interface RunningSpeechService {
  /** Up to where /audio/speech follows. */
  url: string
  /** Rejects new requests and leaves the bus; resolves when the running ones have ended, or after the timeout. */
  drain(ms: number): Promise<void>
  /** Reloads certificates. */
  reload(): Promise<void>
  close(): Promise<void>
}

/** Languages with models of their own; others share the model of German. */
const prepared = ['en', 'de']

/** Starts `offhook speech`: recognisers and voices for call processes and other clients, without a database and without calls. */
export const startSpeechService = async (settings: Settings, log?: Log): Promise<RunningSpeechService> => {
  const closing = new ClosingOrder()
  try {
    const running = await startParts(
      settings,
      log ?? openLog({ level: settings.OFFHOOK_LOG, numbers: settings.OFFHOOK_LOG_NUMBERS }),
      closing.open,
    )
    return { ...running, close: () => closing.close() }
  } catch (error) {
    await closing.close()
    throw error
  }
}

const startParts = async (settings: Settings, log: Log, open: Open): Promise<Omit<RunningSpeechService, 'close'>> => {
  const { OFFHOOK_SPEECH_LISTEN: at, OFFHOOK_SPEECH_KEY: keys, OFFHOOK_BUS: busServers } = settings
  const clock = realClock()
  if (keys.length === 0 && !busServers)
    throw new CannotStart('OFFHOOK_SPEECH_KEY is missing: without it or OFFHOOK_BUS nobody could use this service.', undefined)
  const certificates = open(await openCertificates(settings, { clock, log }))
  const certificate = certificateFor(at.host, certificates, busServers !== undefined)
  const bus = busServers && open(await openServiceBus(settings, { certificates, log }))
  const speech = open(await openModels(settings, log))
  const workers = speechWorkers(settings.OFFHOOK_SPEECH_WORKERS)
  const busKey = randomBytes(32).toString('base64url')
  const service = open(
    new SpeechService({ speech: { vad: speech.vad, ...modelsOf(speech) }, clock, log, keys: [...keys, busKey], workers, certificate }),
  )
  const listening = await service.listen(at).catch((error: unknown) => {
    throw new CannotStart(`OFFHOOK_SPEECH_LISTEN (${addressText(at)}) cannot be used: ${(error as Error).message}`, error)
  })
  const loaded = speech.prepare(prepared)
  const url = `${reachable(listening, at)}/v1`
  const id = randomUUID()
  const describe = () => ({ id, url, key: busKey, ...(certificate && { certificate: certificate.cert }), ...service.load })
  const announcer = bus && open(new Announcer({ bus, clock, describe, loaded }))
  return {
    url,
    async drain(ms) {
      announcer?.leave()
      await service.drain(ms)
    },
    reload: () => certificates.look(),
  }
}

/** Voices cross a network only over TLS. */
const certificateFor = (host: string, { served }: Certificates, hasBus: boolean): Certificate | undefined => {
  if (host === 'localhost' || host === '::1' || host.startsWith('127.')) return undefined
  if (!served && !hasBus)
    throw new CannotStart(`OFFHOOK_SPEECH_LISTEN=${host} needs OFFHOOK_TLS_CERT and OFFHOOK_TLS_KEY, or OFFHOOK_BUS.`, undefined)
  return served ?? selfMadeCertificate(Date.now())
}

/** Sealed with the installation's key, so this machine must have it. */
const openServiceBus = async (settings: Settings, { certificates, log }: { certificates: Certificates; log: Log }) => {
  const clock = realClock()
  const hasKey = settings.OFFHOOK_SECRET_KEY !== undefined || (await readKeyFile(keyFile(settings))) !== undefined
  if (!hasKey)
    throw new CannotStart('OFFHOOK_SECRET_KEY is missing: all processes on OFFHOOK_BUS share the key of the installation.', undefined)
  return openBus({ settings, vault: await openKey(settings), wallClock: clock, metrics: new MetricSources(clock), certificates, log })
}

/** The configuration may be that of the call processes. */
const openModels = async (settings: Settings, log: Log): Promise<Speech> => {
  const way = settings.OFFHOOK_SPEECH === 'service' ? 'embedded' : settings.OFFHOOK_SPEECH
  return openSpeech({ settings: { ...settings, OFFHOOK_SPEECH: way }, log, machine: await lookAtMachine(settings) })
}

const modelsOf = (speech: Speech) => {
  const [stt, tts] = [speech.stt('embedded'), speech.tts('embedded')]
  if (!stt || !tts)
    throw new CannotStart(
      'There are no models that could hear and speak: check OFFHOOK_SPEECH, OFFHOOK_MODELS and `offhook doctor`.',
      undefined,
    )
  return { stt, tts }
}
