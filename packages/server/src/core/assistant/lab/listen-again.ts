import type { LabSettings } from '@offhook/contract/v2/lab.ts'
import type { LabRun, LabWork, RecordedRequest } from '#core/kernel/ports/lab/lab.ts'
import type { Vad, VadObserver } from '#core/kernel/ports/speech.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { Hearing } from '../session/listening/hearing.ts'
import { endpointingAfter, endpointingExpecting, endpointingOf } from '../session/listening/patience.ts'
import { SessionLanguage } from '../session/language/session-language.ts'
import { LabClock } from './lab-clock.ts'
import { LabRecogniser, type AskRecogniser } from './lab-recogniser.ts'
import { RecordedFloor } from './recorded-floor.ts'

/** What the ear made of a recording, once for all variants. Places are samples since its beginning. */
export interface HeardAgain {
  /** Without echo. */
  track: Int16Array
  /** `told`: how much had been heard when it was told. */
  changes: readonly { kind: 'noticed' | 'started' | 'stopped'; at: number; told: number }[]
}

export interface ListenDeps {
  heard: HeardAgain
  ask: AskRecogniser
  /** Promises that are fulfilled have been taken note of. */
  rest: () => Promise<void>
}

/** The detector looks at so much at once, of which 20 ms come at a time. */
const windowSamples = 256
const blockSamples = 160
const blockMs = 20
const trackSeconds = 30

/** When the window that ends here was complete. */
const completeAt = (place: number): number => Math.ceil(place / blockSamples) * blockMs

/** Listens to a recording as a call with these settings would have: the same turn taking, the same rules of interruption, no time. */
export const listenAgain = async (
  deps: ListenDeps,
  work: Omit<LabWork, 'sound' | 'voice' | 'variants'>,
  settings: LabSettings,
): Promise<LabRun> => {
  const { heard, ask, rest } = deps
  const recogniser: LabRecogniser = new LabRecogniser(ask, () => clock, work.recogniserMs)
  const settle = async (): Promise<void> => {
    await rest()
    await recogniser.answered()
    await rest()
  }
  const clock = new LabClock(settle)
  const vad = new RecordedVad()
  const { hearing, floor, apply } = openVadPool(clock, vad, recogniser, { work, settings })
  for (const input of work.wishes) clock.after(input.atMs, () => apply(input))
  let next = 0
  for (let place = windowSamples; place <= heard.track.length; place += windowSamples) {
    await clock.reach(completeAt(place))
    vad.track.write(heard.track.subarray(place - windowSamples, place))
    for (let change = heard.changes[next]; change && change.told <= place; change = heard.changes[++next]) {
      vad.observer?.[change.kind]?.(change.at)
      await settle()
    }
  }
  floor.close()
  await hearing.close()
  return floor.run
}

/** Is told what the ear found out. */
class RecordedVad implements Vad {
  readonly track = SoundTrack.of(trackSeconds)
  observer: VadObserver | undefined

  listen(_sound: unknown, observer: VadObserver): { track: SoundTrack; close: () => void } {
    this.observer = observer
    return { track: this.track, close: () => (this.observer = undefined) }
  }
}

type Listening = { work: Pick<LabWork, 'languages' | 'vocabulary' | 'speeches'>; settings: LabSettings }

const openVadPool = (
  clock: LabClock,
  vad: RecordedVad,
  stt: LabRecogniser,
  { work, settings }: Listening,
): { hearing: Hearing; floor: RecordedFloor; apply: (input: RecordedRequest) => void } => {
  const languages = settings.language === undefined ? work.languages : [settings.language]
  const language = new SessionLanguage(languages[0] ?? 'en', languages)
  const leg = { audio: { listen: () => ({ buffer: new SharedArrayBuffer(0), close: () => {} }) } }
  const { vad: { end_of_turn_silence_ms: endOfTurnSilenceMs } = {}, turn_taking: turnTaking } = settings
  const endpointing = endpointingOf({ ...(endOfTurnSilenceMs !== undefined && { endOfTurnSilenceMs }), ...(turnTaking && { turnTaking }) })
  const hearing: Hearing = new Hearing({ leg, clock, language, speech: { vad, stt: () => stt } }, endpointing, {
    began: (goesOn) => floor.began(goesOn),
    understood: (heard, agoMs) => floor.understood(heard, agoMs),
    ended: (turn) => {
      language.heard(turn)
      if (language.settled !== undefined) hearing.keepTo(language.settled)
      floor.ended(turn)
    },
    noticed: (at) => floor.noticed(at),
    voice: (speaks, at) => floor.voice(speaks, at),
    previewed: () => {},
    tookBack: () => {},
    beep: () => {},
    problem: () => {},
    lost: () => {},
  })
  const floor: RecordedFloor = new RecordedFloor({ clock, hearing, language, bargeIn: settings.barge_in }, work.speeches)
  const recognise = (those: readonly string[]): void =>
    hearing.recogniseWith(['embedded'], { languages: those, vocabulary: work.vocabulary })
  recognise(languages)
  const apply = (input: RecordedRequest): void => {
    applyEndpointing(hearing, input)
    if (!input.languages || settings.language !== undefined) return
    language.expect(input.languages)
    recognise(input.languages)
  }
  return { hearing, floor, apply }
}

const applyEndpointing = (hearing: Hearing, { vad, turn_taking: turnTaking, expecting }: RecordedRequest): void => {
  const input = { ...(vad && { vad }), ...(turnTaking && { turn_taking: turnTaking }) }
  hearing.patience = endpointingAfter(hearing.patience, input)
  if (expecting) hearing.patience = endpointingExpecting(hearing.patience, expecting)
}
