import { join } from 'node:path'
import type { EndOfTurn, Pause, TurnDetector } from '#core/kernel/ports/assistant.ts'
import { embeddedTurnDetector } from '#core/speech/turns/embedded-turn-detector.ts'
import type { Log } from '#log/log-events.ts'
import { TurnModelThread } from './turn-model-thread.ts'
import { WordTable } from './word-table.ts'

/** Added to the log-odds: whole turns then wait 600 ms in the mean with the default settings, on dialogues it was not trained on. */
const bias = 0.3

/** Languages that the weights know. */
const languages: ReadonlySet<string> = new Set(['en', 'de', 'es', 'fr', 'it'])

/**
 * Finds the end of a turn from its words with our own model (assets/turn-model). It replaces the embedded rule where the rule has only the
 * recogniser's marks, which Whisper sets after nearly every text. English with the recogniser's likelihoods and the voice keeps the rule,
 * whose weights were fitted on both.
 */
export class WordsDetector implements TurnDetector {
  readonly name = 'words'
  readonly #folder: string
  readonly #thread: TurnModelThread
  #table: WordTable | undefined

  constructor(folder: string, log: Log) {
    this.#folder = folder
    this.#thread = new TurnModelThread(join(folder, 'words.onnx'), log)
  }

  async judge(pause: Pause, signal: AbortSignal): Promise<EndOfTurn> {
    signal.throwIfAborted()
    const language = pause.language.slice(0, 2).toLowerCase()
    if (!this.#judges(language, pause)) return embeddedTurnDetector.judge(pause)
    const input = this.#wordTable.rows(pause.text, language, pause.asked ?? '')
    const words = await this.#thread.ask(input, signal)
    return { probability: 1 / (1 + Math.exp(-words - bias)), parts: { words } }
  }

  /** Resolves when the model is loaded, or cannot be: then the rule decides. */
  prepare(): Promise<void> {
    return this.#thread.start()
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  /** Starts to load the model with the first pause that needs it: most installations hear one language. */
  #judges(language: string, { tail }: Pause): boolean {
    if (!languages.has(language) || (language === 'en' && tail)) return false
    if (this.#thread.state === 'new') void this.#thread.start()
    return this.#thread.state === 'loaded'
  }

  get #wordTable(): WordTable {
    return (this.#table ??= new WordTable(join(this.#folder, 'words.bin')))
  }
}
