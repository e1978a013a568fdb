export interface Queued {
  /** Whose question it is. */
  stream: object
  /** Asked while the caller still speaks: the turn does not wait for the answer. */
  guess: boolean
}

/** Questions that wait for a recogniser: at most one of each stream, and not too many. */
export class QuestionQueue<Q extends Queued> {
  readonly #limit: number
  readonly #questions: Q[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#questions.length
  }

  /** Gives those that lost their place: an older one of the same stream, or one too many (a guess, if there is one). */
  add(question: Q): Q[] {
    const older = this.#questions.find(({ stream }) => stream === question.stream)
    if (older) this.remove(older)
    this.#questions.push(question)
    if (this.#questions.length <= this.#limit) return older ? [older] : []
    const dropped = this.#questions.find(({ guess }) => guess) ?? question
    this.remove(dropped)
    return [dropped]
  }

  /** The oldest that a turn waits for, then the oldest guess. */
  take(): Q | undefined {
    const next = this.#questions.find(({ guess }) => !guess) ?? this.#questions[0]
    if (next) this.remove(next)
    return next
  }

  /** Whether it was still there. */
  remove(question: Q): boolean {
    const index = this.#questions.indexOf(question)
    if (index >= 0) this.#questions.splice(index, 1)
    return index >= 0
  }
}
