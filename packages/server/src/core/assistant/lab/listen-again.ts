import type { LabSettings } from '@offhook/contract/v2/lab.ts'
import type {
  ExpectedAnswer,
  LabRun,
  LabWork,
  RecordedRequest,
  Vad,
  VadObserver,
  Stt,
  SttOptions,
  SttStream,
  Transcript,
  VoiceAt,
} from '#core/kernel/ports/speech.ts'
import { SoundTrack, samplesPerMs } from '#core/kernel/sound/sound-track.ts'
import { Hearing } from '../session/listening/hearing.ts'
import { endpointingAfter, endpointingExpecting, endpointingOf } from '../session/listening/turn-taking.ts'
import { SessionLanguage } from '../session/session-language.ts'
import { RecordedFloor } from './recorded-floor.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'

/** VAD result for a recording, shared by all variants. Positions are samples since its beginning. */
export interface HeardAgain {
  /** Echo-cancelled audio. */
  track: Int16Array
  /** `told`: samples heard when the change was reported. */
  changes: readonly { kind: 'noticed' | 'started' | 'stopped'; at: number; told: number }[]
}

interface ListenDeps {
  heard: HeardAgain
  ask: AskRecogniser
  /** Resolves when fulfilled promises have been handled. */
  rest: () => Promise<void>
}

/** Samples per detector window; 20 ms arrive at a time. */
const windowSamples = 256
const blockSamples = 160
const blockMs = 20
const trackSeconds = 30

/** Time at which the window ending here was complete. */
const completeAt = (place: number): number => Math.ceil(place / blockSamples) * blockMs

/** Replays a recording as a call with these settings: same turn taking, same barge-in rules, no real time. */
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

/** Replays the recorded VAD changes. */
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

interface Timer {
  at: number
  task: () => void
}

/** Time of a recording: stops while tasks run and otherwise passes as fast as possible. */
class LabClock implements Clock {
  readonly #settle: () => Promise<void>
  readonly #timers = new Set<Timer>()
  #now = 0

  /** `settle`: resolves when everything started by a timer, including promises, has finished. */
  constructor(settle: () => Promise<void>) {
    this.#settle = settle
  }

  now(): number {
    return this.#now
  }

  elapsed(): number {
    return this.#now
  }

  after(ms: number, task: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), task }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  /** Runs all timers due until then, in order. */
  async reach(ms: number): Promise<void> {
    for (let timer = this.#next(ms); timer; timer = this.#next(ms)) {
      this.#timers.delete(timer)
      this.#now = Math.max(this.#now, timer.at)
      timer.task()
      await this.#settle()
    }
    this.#now = Math.max(this.#now, ms)
  }

  /** Earliest timer; the one set first if two are due at the same time. */
  #next(until: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.#timers) if (timer.at <= until && (!next || timer.at < next.at)) next = timer
    return next
  }
}

/** Transcript between two sample positions of the recording. */
interface Asked {
  from: number
  to: number
  expected: ExpectedAnswer | undefined
}

export type AskRecogniser = (options: SttOptions, from: number, to: number, expected?: ExpectedAnswer) => Promise<Transcript>

/** Caches answers across variants. */
export const askedOnce = (ask: AskRecogniser): AskRecogniser => {
  const known = new Map<string, Promise<Transcript>>()
  return (options, from, to, expected) => {
    const question = JSON.stringify([options, from, to, expected])
    const answer = known.get(question) ?? ask(options, from, to)
    known.set(question, answer)
    return answer
  }
}

/** Recogniser in recording time: its answers arrive as long after the sound as in the call. */
class LabRecogniser implements Stt {
  readonly name = 'embedded'
  readonly #ask: AskRecogniser
  readonly #clock: () => Clock
  readonly #takesMs: number
  readonly #open = new Set<Promise<void>>()

  constructor(ask: AskRecogniser, clock: () => Clock, takesMs: number) {
    this.#ask = ask
    this.#clock = clock
    this.#takesMs = takesMs
  }

  hears(): boolean {
    return true
  }

  open(_track: SoundTrack, options: SttOptions): SttStream {
    return { transcribe: (from, to, signal, expected) => this.#answer(options, { from, to, expected }, signal), close: () => {} }
  }

  /** Resolves when all due questions are answered and time may advance. */
  async answered(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open)
  }

  /** Asks only when due, so that cancelled questions cost no work. */
  #answer(options: SttOptions, { from, to, expected }: Asked, signal: AbortSignal): Promise<Transcript> {
    const { promise, resolve, reject } = Promise.withResolvers<Transcript>()
    const clock = this.#clock()
    const cancel = clock.after(Math.max(0, to / samplesPerMs - clock.now()) + this.#takesMs, () => {
      const asked = this.#ask(options, from, to, expected)
        .then(resolve, reject)
        .finally(() => this.#open.delete(asked))
      this.#open.add(asked)
    })
    const forget = (): void => {
      cancel()
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', forget)
    return promise.finally(() => signal.removeEventListener('abort', forget))
  }
}

/** Maximum time shift between call and recording. */
const maxShiftMs = 3000
const stepMs = 4
/** Milliseconds within which two changes count as the same. */
const nearMs = 40

const frameMs = 20
/** Frames of 20 ms after which the detector's 32 ms windows are aligned again. */
const framesOfWindows = 8

/**
 * Time shift between call and recording that aligns most of the detector's changes. A recording starts shortly before or after the assistant
 * begins to listen, and times noted on a busy machine are less exact than samples.
 */
export const shiftOf = (call: readonly Pick<VoiceAt, 'speaks' | 'atMs'>[], { changes }: Pick<HeardAgain, 'changes'>): number => {
  const again = changes
    .filter(({ kind }) => kind !== 'noticed')
    .map(({ kind, at }) => ({ speaks: kind === 'started', atMs: at / samplesPerMs }))
  const apart = (shift: number): number[] =>
    call.map(({ speaks, atMs }) => {
      const gaps = again.filter((one) => one.speaks === speaks).map((one) => one.atMs - atMs - shift)
      return gaps.reduce((min, gap) => (Math.abs(gap) < Math.abs(min) ? gap : min), nearMs)
    })
  let best = { shift: 0, off: Infinity }
  for (let shift = -maxShiftMs; shift <= maxShiftMs; shift += stepMs) {
    const off = apart(shift).reduce((sum, gap) => sum + Math.abs(gap), 0)
    if (off < best.off || (off === best.off && Math.abs(shift) < Math.abs(best.shift))) best = { shift, off }
  }
  const near = apart(best.shift)
    .filter((gap) => Math.abs(gap) < nearMs)
    .toSorted((a, b) => a - b)
  return near.length === 0 ? 0 : best.shift + (near[Math.floor(near.length / 2)] ?? 0)
}

/**
 * Number of frames to skip in the recording, so that the detector's windows equal those of the call. The words depend on it: half a window more
 * or less at the end of the recogniser's input may turn a full stop into a comma.
 */
export const framesToSkip = (call: readonly VoiceAt[], heard: Pick<HeardAgain, 'changes'>): number => {
  const counted = call.flatMap(({ speaks, sample }) => (sample === undefined ? [] : [{ speaks, atMs: sample / samplesPerMs }]))
  if (counted.length === 0) return 0
  const frames = Math.round(shiftOf(counted, heard) / frameMs)
  return frames >= 0 ? frames : ((frames % framesOfWindows) + framesOfWindows) % framesOfWindows
}

/** Shifts all times of a run. */
export const placedAt = ({ turns, interruptions }: LabRun, shiftMs: number): LabRun => {
  const at = (ms: number): number => Math.max(0, ms + shiftMs)
  return {
    turns: turns.map((turn) => ({ ...turn, startMs: at(turn.startMs), endMs: at(turn.endMs), decidedMs: at(turn.decidedMs) })),
    interruptions: interruptions.map((one) => ({ ...one, atMs: at(one.atMs) })),
  }
}
