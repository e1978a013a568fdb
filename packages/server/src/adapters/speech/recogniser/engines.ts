import { resampleSound } from '#media/codec/resample.ts'
import type { Engine } from './languages.ts'
import { Moonshine } from './moonshine.ts'
import type { Heard, Task, WorkerSettings } from './recogniser-protocol.ts'
import { soundPieces } from './sound-pieces.ts'
import { spokenPart } from './spoken-part.ts'
import { Whisper } from './whisper.ts'

const rate = 16_000
/** Shorter sounds are clicks. Whisper would make words of a cough, too. */
const shortestMs = { moonshine: 60, whisper: 250 }

/** The recognisers of one worker, each loaded when it is needed for the first time. */
export class Engines {
  readonly #settings: WorkerSettings
  #moonshine: Promise<Moonshine> | undefined
  #whisper: Promise<Whisper> | undefined

  constructor(settings: WorkerSettings) {
    this.#settings = settings
  }

  async load(engine: Engine, folder: string): Promise<void> {
    await (engine === 'moonshine' ? this.#openMoonshine(folder) : this.#openWhisper(folder))
  }

  async hear(task: Task, signal: AbortSignal): Promise<Heard> {
    const { sound, loudMs } = spokenPart(task.sound)
    const nothing = { text: '', confidence: 1, language: task.codes[0] ?? '' }
    if (loudMs < shortestMs[task.engine]) return nothing
    const samples = Float32Array.from(resampleSound(sound, rate / 2, rate), (sample) => sample / 32_768)
    const heard: Heard[] = []
    for (const piece of soundPieces(samples, rate)) heard.push(await this.#hearPiece(piece, task, signal))
    const { tail } = heard.at(-1) ?? {}
    const least = Math.min(...heard.map(({ confidence }) => confidence))
    return {
      language: heard[0]?.language ?? nothing.language,
      text: heard
        .map(({ text }) => text)
        .join(' ')
        .trim(),
      confidence: least,
      ...(tail && { tail }),
    }
  }

  async #hearPiece(sound: Float32Array, { engine, folder, codes, vocabulary }: Task, signal: AbortSignal): Promise<Heard> {
    if (engine === 'moonshine') return (await this.#openMoonshine(folder)).hear(sound, signal)
    return (await this.#openWhisper(folder)).hear({ sound, codes, vocabulary, signal })
  }

  #openMoonshine(folder: string): Promise<Moonshine> {
    return (this.#moonshine ??= Moonshine.open(folder, 1).catch((error: unknown) => {
      this.#moonshine = undefined
      throw error
    }))
  }

  #openWhisper(folder: string): Promise<Whisper> {
    const { whisper, whisperThreads } = this.#settings
    return (this.#whisper ??= Whisper.open(folder, whisper, whisperThreads).catch((error: unknown) => {
      this.#whisper = undefined
      throw error
    }))
  }
}
