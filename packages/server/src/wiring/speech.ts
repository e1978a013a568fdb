import { atMost } from '#core/kernel/work/waiting.ts'
import { availableParallelism } from 'node:os'
import { realClock } from '#adapters/clock/clocks.ts'
import { openVadPool, type VadPool } from '#adapters/speech/vad/vad-pool.ts'
import { openLab } from '#adapters/speech/lab/open-lab.ts'
import { openLoading } from '#adapters/speech/loading.ts'
import { modelSizes, speechWorkers } from '#adapters/speech/models/model-list.ts'
import { openModels, type Models } from '#adapters/speech/models/models.ts'
import { progressBar } from '#adapters/speech/models/progress-bar.ts'
import { Recogniser } from '#adapters/speech/recogniser/recogniser.ts'
import { openVoices } from '#adapters/speech/synthesiser/open-voices.ts'
import { spelledStt } from '#adapters/speech/spelled-stt.ts'
import { toneStt, toneTts } from '#adapters/speech/tones/tone-speech.ts'
import type { Settings } from '#settings/config.ts'
import type { Bus, Clock } from '#core/kernel/ports/platform.ts'
import type { Lab, Speech, SpeechProvider, Stt, Tts, Vad } from '#core/kernel/ports/speech.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { Histogram } from '#core/operate/metrics/families/distribution.ts'
import type { MetricSources } from '#core/operate/metrics/families/metric-sources.ts'
import type { Sample } from '#core/operate/metrics/families/sample.ts'
import { queueBounds } from '#core/operate/metrics/families/table.ts'
import type { MemoryPool } from '#media/thread/shared-memory.ts'
import type { Log } from '#log/log-events.ts'
import type { Machine } from './machine/machine.ts'
import type { LoadSources } from '#adapters/machine/load-sources.ts'

interface SpeechParts {
  settings: Settings
  log: Log
  clock?: Clock
  /** For callers' audio that speech detection buffers. */
  soundMemory?: MemoryPool
  machine?: Pick<Machine, 'withoutModels'>
  metrics?: MetricSources
  load?: LoadSources
  /** On which speech services announce themselves. */
  bus?: Bus
}

/** Speech recognition and synthesis of this installation. Models are loaded and threads started with the first words of a call, or by `prepare`. */
export const openSpeech = async (deps: SpeechParts): Promise<Speech> => {
  const { OFFHOOK_SPEECH: way } = deps.settings
  if (way === 'off') return assemble({ vad: deafVad })
  if (way === 'service') return openWithServices(deps)
  return withProviders(await (way === 'tones' ? openTones(deps) : openEmbedded(deps)), deps)
}

/** Speech services in the place of the embedded models; their module is loaded only then. */
const openWithServices = async (deps: SpeechParts): Promise<Speech> => {
  const { openServices } = await import('./speech-services.ts')
  const services = openServices(deps)
  const own = await withProviders(await openEmbedded({ ...deps, labStt: services.stt }), deps)
  return services.before(own)
}

/** Providers for one value of OFFHOOK_SPEECH. */
interface Assembly {
  vad: Vad
  stts?: Partial<Record<SpeechProvider, Stt>>
  ttss?: Partial<Record<SpeechProvider, Tts>>
  lab?: Lab | undefined
  prepare?: (languages: readonly string[]) => Promise<void>
  close?: () => Promise<void>
}

const assemble = ({ vad, stts = {}, ttss = {}, lab, prepare, close }: Assembly): Speech => ({
  vad,
  stt: (provider) => stts[provider],
  tts: (provider) => ttss[provider],
  lab,
  prepare: async (languages) => prepare?.(languages),
  close: async () => close?.(),
})

/** Adds the providers with a configured key or address. */
const withProviders = async (own: Speech, { settings, clock = realClock() }: SpeechParts): Promise<Speech> => {
  if (!namesProvider(settings)) return own
  const { openProviders } = await import('#adapters/speech/providers/open-providers.ts')
  const providers = openProviders(settings, clock)
  return {
    ...own,
    stt: (provider) => providers.stts[provider] ?? own.stt(provider),
    tts: (provider) => providers.ttss[provider] ?? own.tts(provider),
    async close() {
      await providers.close()
      await own.close()
    },
  }
}

/** Most installations use none, and do not load their modules. */
const namesProvider = (settings: Settings): boolean =>
  [
    settings.OFFHOOK_OPENAI_URL,
    settings.OFFHOOK_OPENAI_KEY,
    settings.OFFHOOK_OPENAI_TTS_URL,
    settings.OFFHOOK_DEEPGRAM_KEY,
    settings.OFFHOOK_ELEVENLABS_KEY,
    settings.OFFHOOK_AZURE_KEY,
  ].some((value) => value !== undefined)

/** Never detects speech. */
const deafVad: Vad = { listen: () => ({ track: SoundTrack.of(0.02), close: () => {} }) }

const openTones = async ({ log, soundMemory: memory }: SpeechParts): Promise<Speech> => {
  const vadPool = openVadPool({ detector: 'energy', onDied: vadThreadsDied(log), ...(memory && { memory }) })
  const lab = openLab({ detector: 'energy', model: undefined, stt: toneStt })
  const close = async (): Promise<void> => void (await Promise.all([vadPool.close(), lab.close()]))
  return assemble({ vad: vadPool, stts: { embedded: toneStt }, ttss: { embedded: toneTts }, lab, close })
}

const openEmbedded = async ({
  settings,
  log,
  clock = realClock(),
  soundMemory: memory,
  machine,
  metrics,
  load,
  labStt,
}: SpeechParts & { labStt?: Stt }): Promise<Speech> => {
  const waits = { recogniser: new Histogram(queueBounds), synthesiser: new Histogram(queueBounds) }
  const withoutModels = machine?.withoutModels
  const models = withoutModels === undefined ? await openModels(settings, log, progressBar(process.stderr)) : undefined
  const workers = speechWorkers(settings.OFFHOOK_SPEECH_WORKERS)
  const loading = openLoading({ terminal: process.stderr, clock, log })
  const voices = await openVoices({ models, workers, log, loading, onWaited: (seconds) => waits.synthesiser.add(seconds) })
  const onWaited = (seconds: number): void => waits.recogniser.add(seconds)
  const processors = availableParallelism()
  const recogniser = models && new Recogniser({ models, log, loading, sizes: modelSizes(settings), workers, processors, onWaited })
  if (load) load.recogniser = recogniser
  metrics?.add(() => [
    ...queueSamples('recogniser', waits.recogniser, recogniser),
    ...queueSamples('synthesiser', waits.synthesiser, voices),
  ])
  const detector = models ? ({ detector: 'silero', model: models.detector } as const) : ({ detector: 'energy' } as const)
  const vadPool = openVadPool({ ...detector, onDied: vadThreadsDied(log), ...(memory && { memory }) })
  if (withoutModels !== undefined) log('speech_models_unusable', { why: withoutModels })
  else if (!models) log('speech_models_off')
  const stt = recogniser && spelledStt(recogniser)
  const heard = labStt ?? stt
  const lab = models && heard && openLab({ detector: 'silero', model: models.detector, stt: heard })
  let closed = false
  return assemble({
    vad: vadPool,
    stts: stt ? { embedded: stt } : {},
    ttss: voices.ttss,
    lab,
    async prepare(languages) {
      await models?.settled
      if (closed) return
      await Promise.all([prepareVadPool(vadPool, models), voices.prepare(languages), recogniser?.prepare(languages)])
    },
    async close() {
      closed = true
      loading.close()
      const ended = Promise.all([vadPool, lab, recogniser, voices, models].map(async (part) => part?.close()))
      await atMost(clock, closeTimeoutMs, ended, undefined)
    },
  })
}

const queueSamples = (part: 'recogniser' | 'synthesiser', value: Histogram, queue: { waiting: number } | undefined): Sample[] => [
  { name: 'offhook_speech_queue_seconds', labels: { part }, value },
  { name: 'offhook_speech_waiting', labels: { part }, value: queue?.waiting ?? 0 },
]

/** Without its model a thread would only die; the missing model has been logged. */
const prepareVadPool = async (vadPool: VadPool, models: Models | undefined): Promise<void> => {
  const isThere = await models?.folderWith('vad').catch(() => false)
  if (isThere !== false) vadPool.prepare()
}

/** Loading a model cannot be interrupted and takes seconds: a loading thread ends later, or with the process. */
const closeTimeoutMs = 2_000

const vadThreadsDied =
  (log: Log) =>
  (error: Error | undefined): void =>
    log('speech_detector_died', { err: error })
