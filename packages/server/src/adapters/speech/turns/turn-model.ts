import { basename } from 'node:path'
import type { EndOfTurn, Pause, TurnDetector } from '#core/kernel/ports/assistant.ts'
import type { Log } from '#log/log-events.ts'
import { heardSeconds } from './turn-model-protocol.ts'
import { TurnModelThread } from './turn-model-thread.ts'

/** The operator's turn model: returns the probability that a turn is over, from its sound. */
export class TurnModel implements TurnDetector {
  readonly name: string
  readonly #thread: TurnModelThread

  /** Loads immediately: the first pause of a caller is too late. */
  constructor(file: string, log: Log) {
    this.name = basename(file)
    this.#thread = new TurnModelThread(file, log)
    void this.#thread.start()
  }

  async judge({ sound }: Pause, signal: AbortSignal): Promise<EndOfTurn> {
    const probability = await this.#thread.ask({ sound: sound(heardSeconds) }, signal)
    return { probability, parts: { model: probability } }
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}
