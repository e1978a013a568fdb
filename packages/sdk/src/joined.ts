import type { Answer, Piece, SpeechFields } from './answering.ts'

/** What a handler of `live()` gives, as one answer: strings that follow each other are one speech. */
export class JoinedAnswer {
  readonly actions: Answer[] = []
  #words = ''
  #fields: SpeechFields = {}

  put(piece: Piece): void {
    if (typeof piece === 'string') {
      this.#words += piece
      return
    }
    this.endSpeech()
    if ('speech' in piece) this.#fields = piece.speech
    else if ('type' in piece) this.actions.push(piece)
  }

  endSpeech(): void {
    if (this.#words.trim() !== '') this.actions.push({ type: 'speak', text: this.#words, ...this.#fields })
    this.#words = ''
  }
}

/** All of it, in order. Nothing more is taken once nobody needs it. */
export const joined = async (pieces: AsyncIterable<Piece>, signal: AbortSignal, answer: JoinedAnswer): Promise<Answer[]> => {
  for await (const piece of pieces) {
    answer.put(piece)
    if (signal.aborted) break
  }
  answer.endSpeech()
  return answer.actions
}

export const isStreamed = (reply: unknown): reply is AsyncIterable<Piece> =>
  typeof reply === 'object' && reply !== null && Symbol.asyncIterator in reply
