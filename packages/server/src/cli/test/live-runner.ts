import type { Scenario, ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import type { Line } from '@offhook/contract/assistant/callers-sound.ts'
import { talkSampleRate } from '@offhook/contract/v3/talks.ts'
import { holdScenario, type Helpers } from '@offhook/sdk/simulate/run-scenario.ts'
import { watchTimeline } from '@offhook/sdk/watch-timeline.ts'
import { openCallersVoices, type CallersVoices } from '#adapters/speech/callers/callers-voice.ts'
import { LineSound, speechLevel } from '#adapters/speech/callers/line-sound.ts'
import { soundOfSentence } from '#adapters/speech/callers/utterance.ts'
import { modelsFolder } from '#adapters/speech/models/model-list.ts'
import { missingSpeechRuntime } from '#adapters/speech/speech-runtime.ts'
import type { Connection } from '../connection/connection.ts'
import type { Flow } from '../connection/choose-flow.ts'
import { openTalk } from '../say/typed-talk.ts'
import { settingsOf } from '../start/settings.ts'
import { Mistake } from '../terminal/mistake.ts'
import { LiveCall, type Service, type Spoken } from './live-call.ts'
import { frameSamples, realClock } from './microphone.ts'

interface LiveRunOptions {
  draft?: boolean
  fast?: boolean
}

/** Language of callers to a flow without one. */
const defaultLanguage = 'en-US'

/** Runs conversations in typed calls through the running service, or in spoken ones with voices. */
export class LiveRunner {
  /** A user may have five concurrent talks; a voice that hears and speaks for several becomes late. */
  readonly maxConcurrent: number
  readonly #connection: Connection
  readonly #flow: Pick<Flow, 'id' | 'language'>
  readonly #options: LiveRunOptions
  readonly #voices: CallersVoices | undefined

  constructor(connection: Connection, flow: Pick<Flow, 'id' | 'language'>, options: LiveRunOptions, voices?: CallersVoices) {
    this.#connection = connection
    this.#flow = flow
    this.#options = options
    this.#voices = voices
    this.maxConcurrent = voices ? 1 : 4
  }

  async run(scenario: Scenario, helpers: Helpers): Promise<ScenarioReport> {
    const spoken = this.#voices && (await spokenBy(this.#voices, scenario, this.#flow.language ?? defaultLanguage))
    const call = new LiveCall(this.#service(scenario), spoken)
    try {
      return await holdScenario(scenario, () => call, helpers)
    } finally {
      call.close()
    }
  }

  #service({ from, to }: Scenario): Service {
    const { draft, fast } = this.#options
    const input = {
      ...(from && { from }),
      ...(to && { to }),
      ...(draft && { draft }),
      ...(fast && { fast }),
      audio: this.#voices !== undefined,
    }
    const { baseUrl, token } = this.#connection
    return {
      call: (onSound) => openTalk(this.#connection, this.#flow.id, () => {}, input, onSound),
      watch: (callId, signal) => watchTimeline({ baseUrl, token, callId, signal }),
      clock: realClock,
    }
  }
}

/** All sentences are synthesized before the call: an interruption must be on time. */
export const spokenBy = async (voices: CallersVoices, scenario: Scenario, flowLanguage: string): Promise<Spoken> => {
  const { steps, language = flowLanguage, line = {} } = scenario
  const soundOf: Spoken['soundOf'] = (text, { voice = scenario.voice, hesitates }) =>
    soundOfSentence(voices, { text, language, voice, hesitates }, talkSampleRate)
  const sounds: Int16Array[] = []
  for (const step of steps) if ('say' in step) sounds.push(await soundOf(step.say, step))
  const lines: Line[] = [line, ...steps.flatMap((step) => ('say' in step && step.line ? [step.line] : []))]
  const babble = lines.some(({ noise }) => noise?.kind === 'babble') ? await voices.babble(language) : undefined
  return { soundOf, language, line, lineSound: new LineSound({ frameSamples, speechRms: speechLevel(sounds, frameSamples), babble }) }
}

/** Voices of the callers, on this machine. Exit code 3 if there are none. */
export const openVoices = async (): Promise<CallersVoices> => {
  const unusable = missingSpeechRuntime()
  if (unusable !== undefined) throw new Mistake(3, `There is no voice for --voice: ${unusable}`)
  const folder = modelsFolder(settingsOf(process.env).OFFHOOK_MODELS)
  if (folder === undefined)
    throw new Mistake(3, 'There is no voice for --voice: OFFHOOK_MODELS is off. Unset it and run `npx offhook models`.')
  const voices = await openCallersVoices(folder, talkSampleRate)
  const orLeave = (error: unknown): never => {
    throw new Mistake(3, `There is no voice for --voice: ${(error as Error).message}`)
  }
  return {
    soundOf: (...sentence) => voices.soundOf(...sentence).catch(orLeave),
    babble: (language) => voices.babble(language).catch(orLeave),
    close: () => voices.close(),
  }
}
