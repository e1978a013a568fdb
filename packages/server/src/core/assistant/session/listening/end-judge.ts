import type { Clock } from '#core/kernel/ports/clock.ts'
import type { EndOfTurn, Pause, TurnDetector } from '#core/kernel/ports/assistant/turn-detector.ts'
import { within } from '#core/kernel/work/within.ts'
import { embeddedTurnDetector } from '#core/speech/turns/embedded-turn-detector.ts'
import type { TurnEnd } from '../conversation/conversation.ts'
import { limitsOf, silenceAfter, silenceWithoutWords, type EndpointingPolicy, type TurnSilence } from '#core/speech/turns/turn-silence.ts'

/** A detector that takes longer is not worth waiting for. */
const answerTimeoutMs = 300
/** So often in a row, then it is not asked any more. */
const maxFailures = 3

/** Decides in every pause how long it may last. A detector that fails is replaced by the embedded one, and that is told. */
export class EndJudge {
  readonly #clock: Clock
  readonly #detector: TurnDetector | undefined
  readonly #problem: (message: string) => void
  #failures = 0

  constructor({ clock, turnDetector }: { clock: Clock; turnDetector?: TurnDetector | undefined }, problem: (message: string) => void) {
    this.#clock = clock
    this.#detector = turnDetector
    this.#problem = problem
  }

  /** `pause`: without words if nothing was understood. */
  async judge(pause: Pause, endpointing: EndpointingPolicy, signal: AbortSignal): Promise<TurnEnd> {
    if (pause.text === '') return turnEnd(silenceWithoutWords(endpointing), endpointing)
    const asked = endpointing.turnTaking === 'classic' ? undefined : await this.#ask(pause, signal)
    const end = asked ?? embeddedTurnDetector.judge(pause)
    return { ...turnEnd(silenceAfter(pause, end.probability, endpointing), endpointing), ...end }
  }

  async #ask(pause: Pause, signal: AbortSignal): Promise<EndOfTurn | undefined> {
    const detector = this.#detector
    if (!detector || this.#failures >= maxFailures) return undefined
    try {
      const end = await within(this.#clock, answerTimeoutMs, signal, async (stop) => detector.judge(pause, stop))
      if (!(end.probability >= 0 && end.probability <= 1)) throw new Error(`${end.probability} is no probability`)
      this.#failures = 0
      return end
    } catch (error) {
      signal.throwIfAborted()
      this.#failures += 1
      this.#problem(`turn detector "${detector.name}" failed (${error instanceof Error ? error.message : 'unknown'})`)
      return undefined
    }
  }
}

const turnEnd = ({ ms, rule }: TurnSilence, endpointing: EndpointingPolicy): TurnEnd => ({ silenceMs: ms, rule, ...limitsOf(endpointing) })
