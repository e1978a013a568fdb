import { resampleSound } from '#media/codec/resample.ts'
import { familyOf, type Engine } from './engine-choice.ts'
import type { Expectation } from './expected-phrases.ts'
import { Moonshine } from './moonshine.ts'
import type { Heard, Task, WorkerSettings } from './recogniser-thread.ts'
import { withinSpeakingRate } from './speaking-rate.ts'
import { soundPieces } from './sound-pieces.ts'
import { endsQuietly, spokenPart } from './spoken-part.ts'
import { Whisper } from './whisper.ts'
import type { LastSound } from '#core/kernel/ports/speech.ts'

const rate = 16_000
/** Milliseconds; shorter sounds are clicks. Whisper would also turn a cough into words. */
const shortestMs = { moonshine: 60, whisper: 250 }

/** Languages with known pitch and loudness at the end of a turn; others are not analysed. */
const knownEndings: ReadonlySet<string> = new Set(['en'])

/** `rangeDb`: level of the voice above the noise of the line. */
type Hear = (sound: Float32Array, rangeDb: number, task: Task, signal: AbortSignal) => Promise<Heard>

/** Recognisers of one worker, each loaded on first use. */
export class Engines {
  readonly #settings: WorkerSettings
  readonly #open = new Map<Engine, Promise<Hear>>()

  constructor(settings: WorkerSettings) {
    this.#settings = settings
  }

  async load(engine: Engine, folder: string): Promise<void> {
    await this.#engine(engine, folder)
  }

  async hear(task: Task, signal: AbortSignal): Promise<Heard> {
    const { sound, loudMs, ...line } = spokenPart(task.sound)
    // Sound that ends in the middle of a word looks more like silence than it is.
    const rangeDb = endsQuietly(task.sound) ? line.rangeDb : 0
    const nothing = { text: '', confidence: 1, language: task.codes[0] ?? '' }
    const family = familyOf(task.engine)
    if (loudMs < shortestMs[family]) return nothing
    const samples = Float32Array.from(resampleSound(sound, rate / 2, rate), (sample) => sample / 32_768)
    const hear = await this.#engine(task.engine, task.folder)
    const heard: Heard[] = []
    for (const piece of soundPieces(samples, rate)) heard.push(await hear(piece, rangeDb, task, signal))
    const { tail } = heard.at(-1) ?? {}
    const ending = knownEndings.has(heard[0]?.language ?? '') ? lastSound(sound) : undefined
    const text = heard.map((one) => one.text).join(' ')
    const confidence = Math.min(...heard.map((one) => one.confidence))
    return {
      language: heard[0]?.language ?? nothing.language,
      ...withinSpeakingRate({ text: text.trim(), confidence }, loudMs),
      ...(tail && { tail }),
      ...(ending && { lastSound: ending }),
      ...(family === 'moonshine' && { snrDb: line.rangeDb }),
    }
  }

  #engine(engine: Engine, folder: string): Promise<Hear> {
    const open = this.#open.get(engine) ?? opened(engine, folder, this.#settings)
    this.#open.set(engine, open)
    return open.catch((error: unknown) => {
      this.#open.delete(engine)
      throw error
    })
  }
}

const opened = async (engine: Engine, folder: string, { whisperThreads }: WorkerSettings): Promise<Hear> => {
  if (engine === 'moonshine-tiny' || engine === 'moonshine-base') {
    const moonshine = await Moonshine.open(folder, engine === 'moonshine-base' ? 'base' : 'tiny', 1)
    return (sound, rangeDb, task, signal) =>
      moonshine.hear({ sound, rangeDb, expectation: expectationOf(task), signal, patient: task.patient })
  }
  const whisper = await Whisper.open(folder, engine === 'whisper-base' ? 'base' : 'small', whisperThreads)
  return (sound, _rangeDb, task, signal) =>
    whisper.hear({ sound, codes: task.codes, expectation: expectationOf(task), signal, patient: task.patient })
}

const expectationOf = ({ phrases = [], vocabulary }: Task): Expectation => ({ phrases, vocabulary })

/** 40 ms every 20 ms at 8 kHz. Pitch between 73 and 400 Hz, by autocorrelation. */
const frame = 320
const hop = 160
const lags = { shortest: 20, maxLength: 110 }
const voicedAbove = 0.6
/** Multiples of the lag also correlate: a longer lag must be better by this much. */
const clearly = 0.01
/** Mean square of 16 bit samples; quieter frames are unvoiced. */
const quietest = 1e4
const endMs = 150
const fewest = 4
/** Earlier sound says nothing about the end. */
const maxSamples = 8 * 8000

interface Voiced {
  at: number
  /** Semitones above 100 Hz. */
  pitch: number
  db: number
}

/** Pitch and loudness at the end of an utterance at 8 kHz; undefined if hardly any frame is voiced. */
export const lastSound = (whole: Int16Array): LastSound | undefined => {
  const sound = Float64Array.from(whole.subarray(Math.max(0, whole.length - maxSamples)))
  const voiced = voicedFrames(sound)
  const last = voiced.at(-1)
  if (!last || voiced.length < fewest) return undefined
  const end = voiced.filter(({ at }) => at > last.at - endMs)
  const pitches = voiced.map(({ pitch }) => pitch)
  const pitch = quantile(
    end.map((one) => one.pitch),
    0.5,
  )
  return {
    energyDb: meanDb(end) - meanDb(voiced),
    aboveLow: pitch - quantile(pitches, 0.1),
    againstMedian: pitch - quantile(pitches, 0.5),
  }
}

const voicedFrames = (sound: Float64Array): Voiced[] => {
  const energy = energyUntil(sound)
  const voiced: Voiced[] = []
  for (let at = 0; at + frame <= sound.length; at += hop) {
    const mean = (energy[at + frame]! - energy[at]!) / frame
    if (mean < quietest) continue
    const { lag, likeness } = bestLag(sound, energy, at)
    if (likeness > voicedAbove) voiced.push({ at: at / 8, pitch: 12 * Math.log2(8000 / lag / 100), db: 10 * Math.log10(mean + 1) })
  }
  return voiced
}

/** The lag, in samples, at which a frame is most similar to itself. */
const bestLag = (sound: Float64Array, energy: Float64Array, at: number): { lag: number; likeness: number } => {
  let lag = 0
  let likeness = 0
  for (let moved = lags.shortest; moved <= lags.maxLength; moved++) {
    let product = 0
    const end = at + frame - moved
    for (let i = at; i < end; i++) product += sound[i]! * sound[i + moved]!
    const power = 1 + energy[end]! - energy[at]! + energy[at + frame]! - energy[at + moved]!
    if ((2 * product) / power <= likeness + clearly) continue
    lag = moved
    likeness = (2 * product) / power
  }
  return { lag, likeness }
}

/** Energy of all samples before each sample. */
const energyUntil = (sound: Float64Array): Float64Array => {
  const energy = new Float64Array(sound.length + 1)
  for (let i = 0; i < sound.length; i++) energy[i + 1] = energy[i]! + sound[i]! ** 2
  return energy
}

const meanDb = (frames: readonly Voiced[]): number => frames.reduce((sum, { db }) => sum + db, 0) / frames.length

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? 0
