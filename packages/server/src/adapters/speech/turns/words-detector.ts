import { join } from 'node:path'
import type { EndOfTurn, Pause, TurnDetector } from '#core/kernel/ports/assistant.ts'
import { embeddedTurnDetector } from '#core/speech/turns/embedded-turn-detector.ts'
import type { Log } from '#log/log-events.ts'
import { TurnModelThread } from './turn-model-thread.ts'
import { WordTable } from './word-table.ts'

/** Added to the log-odds: whole turns then wait 600 ms in the mean with the default settings, on dialogues it was not trained on. */
const bias = 0.3

/**
 * English with the recogniser's likelihoods and the voice: log-odds of the rule and of the words, added with these weights. Chosen on
 * the callers of `bench/conversation`, people and the embedded voice (docs/decisions/conversation.md).
 */
const fused = { rule: 2, words: 0.8 }
/** Calibration: one in nine turns that seemed surely over went on, and one in six that seemed surely unfinished had ended. */
const leastFused = 0.1
/** Words alone must not outvote marks and voice. */
const maxWordOdds = 6

/** Languages that the weights know. */
const languages: ReadonlySet<string> = new Set(['en', 'de', 'es', 'fr', 'it'])

/**
 * Finds the end of a turn from its words with our own model (assets/turn-model). In English with the recogniser's likelihoods it is fused with
 * the embedded rule, which also hears the voice. Elsewhere it replaces the rule, which has only the recogniser's marks there: Whisper sets them
 * after nearly every text.
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
    if (!this.#judges(language)) return embeddedTurnDetector.judge(pause)
    const input = this.#wordTable.rows(pause.text, language, pause.asked ?? '')
    const words = await this.#thread.ask(input, signal)
    return language === 'en' && pause.tail ? fusedEnd(pause, words) : { probability: probabilityOf(words + bias), parts: { words } }
  }

  /** Resolves when the model is loaded, or cannot be: then the rule decides. */
  prepare(): Promise<void> {
    return this.#thread.start()
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  /** Starts to load the model with the first pause that needs it: most installations hear one language. */
  #judges(language: string): boolean {
    if (!languages.has(language)) return false
    if (this.#thread.state === 'new') void this.#thread.start()
    return this.#thread.state === 'loaded'
  }

  get #wordTable(): WordTable {
    return (this.#table ??= new WordTable(join(this.#folder, 'words.bin')))
  }
}

const probabilityOf = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))

const fusedEnd = (pause: Pause, wordOdds: number): EndOfTurn => {
  const { probability, parts: ruleParts } = embeddedTurnDetector.judge(pause)
  const rule = fused.rule * Math.log(probability / (1 - probability))
  const words = fused.words * Math.max(-maxWordOdds, Math.min(maxWordOdds, wordOdds))
  const parts = Object.fromEntries(Object.entries(ruleParts).map(([name, value]) => [name, fused.rule * value]))
  return {
    probability: leastFused + (1 - 2 * leastFused) * probabilityOf(rule + words),
    parts: { ...parts, words: (parts['words'] ?? 0) + words },
  }
}
