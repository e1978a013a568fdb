import { resampleSound } from '#media/codec/resample.ts'
import { familyOf, type Engine } from './engine-choice.ts'
import { Moonshine } from './moonshine.ts'
import type { Heard, Task, WorkerSettings } from './recogniser-protocol.ts'
import { lastSound } from './last-sound.ts'
import { soundPieces } from './sound-pieces.ts'
import { endsQuietly, spokenPart } from './spoken-part.ts'
import { Whisper } from './whisper.ts'

const rate = 16_000
/** Shorter sounds are clicks. Whisper would make words of a cough, too. */
const shortestMs = { moonshine: 60, whisper: 250 }

/** Languages of which is known how voices end: others need not be looked at. */
const knownEndings: ReadonlySet<string> = new Set(['en'])

/** `rangeDb`: how far the noise of the line is below the voice. */
type Hear = (sound: Float32Array, rangeDb: number, task: Task, signal: AbortSignal) => Promise<Heard>

/** The recognisers of one worker, each loaded when it is needed for the first time. */
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
    // What is asked for in the middle of a word looks more like nothing than it is.
    const rangeDb = endsQuietly(task.sound) ? line.rangeDb : 0
    const nothing = { text: '', confidence: 1, language: task.codes[0] ?? '' }
    if (loudMs < shortestMs[familyOf(task.engine)]) return nothing
    const samples = Float32Array.from(resampleSound(sound, rate / 2, rate), (sample) => sample / 32_768)
    const hear = await this.#engine(task.engine, task.folder)
    const heard: Heard[] = []
    for (const piece of soundPieces(samples, rate)) heard.push(await hear(piece, rangeDb, task, signal))
    const { tail } = heard.at(-1) ?? {}
    const ending = knownEndings.has(heard[0]?.language ?? '') ? lastSound(sound) : undefined
    const min = Math.min(...heard.map(({ confidence }) => confidence))
    return {
      language: heard[0]?.language ?? nothing.language,
      text: heard
        .map(({ text }) => text)
        .join(' ')
        .trim(),
      confidence: min,
      ...(tail && { tail }),
      ...(ending && { lastSound: ending }),
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
    return (sound, rangeDb, { patient }, signal) => moonshine.hear(sound, rangeDb, signal, patient)
  }
  const whisper = await Whisper.open(folder, engine === 'whisper-base' ? 'base' : 'small', whisperThreads)
  return (sound, _rangeDb, { codes, vocabulary, patient }, signal) => whisper.hear({ sound, codes, vocabulary, signal, patient })
}
