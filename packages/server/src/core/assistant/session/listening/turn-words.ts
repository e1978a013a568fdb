import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Transcript } from '#core/kernel/ports/speech.ts'
import { samplesPerMs, type SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { noLongerWanted } from '#core/kernel/work/no-longer-wanted.ts'
import { asDigits } from '#core/speech/spelling/as-digits.ts'
import type { EndpointingPolicy } from '#core/speech/turns/turn-silence.ts'
import type { Transcriber } from '#core/speech/voices/transcriber.ts'
import { hasWords } from '@offhook/contract/assistant/barge-in.ts'
import type { TurnEnd } from '../conversation/conversation.ts'
import type { SessionLanguage } from '../language/session-language.ts'
import type { EndJudge } from './end-judge.ts'
import type { Questions } from './questions.ts'
import { SaidSoFar } from './said-so-far.ts'
import type { TurnTaking } from './turn-taking.ts'

/** Where words are awaited, or would be: what was understood of such a turn in an earlier pause is not listened to again. */
const longTurnMs = 8000

export interface TurnWordsDeps {
  clock: Clock
  language: SessionLanguage
  track: SoundTrack
  turns: Pick<TurnTaking, 'silentFrom' | 'voicedFrom'>
  transcriber: Pick<Transcriber, 'transcribe' | 'provider'>
  judge: EndJudge
  questions: Questions
  patience: () => EndpointingPolicy
  understood: (transcript: Transcript) => void
  /** `words`: empty when there are none. */
  judged: (words: string, transcript: Transcript, end: TurnEnd) => void
}

/** What was said in a turn until a pause, and whether it ends there. */
export class TurnWords {
  readonly #deps: TurnWordsDeps
  readonly #soFar = new SaidSoFar()
  #question: AbortController | undefined
  #latest: { transcript: Transcript; at: number; end?: TurnEnd } | undefined

  constructor(deps: TurnWordsDeps) {
    this.#deps = deps
  }

  /** What was understood last, and when. */
  get latest(): { transcript: Transcript; at: number; end?: TurnEnd } | undefined {
    return this.#latest
  }

  /** The voice is heard again from here on. */
  goesOn(at: number): void {
    this.#soFar.goesOn(at)
  }

  /** Takes the place of an earlier question. */
  ask(from: number, to: number): void {
    this.forget()
    const question = new AbortController()
    this.#question = question
    const { signal } = question
    const { turns, transcriber, questions } = this.#deps
    const last = turns.silentFrom
    const inParts = this.#inParts(from, to)
    const asked = transcriber.transcribe(inParts ? this.#soFar.unknownFrom(from) : from, to, signal)
    questions.take(asked, signal, (answer) => {
      const all = inParts ? this.#soFar.with(from, answer) : answer
      if (last !== undefined && last === turns.silentFrom) this.#soFar.understood({ turn: from, last, to, transcript: all })
      this.#understood(this.#sinceVoice(this.#asExpected(all), from), { from, to }, signal)
    })
  }

  forget(): void {
    this.#question?.abort(noLongerWanted)
  }

  #understood(transcript: Transcript, { from, to }: { from: number; to: number }, signal: AbortSignal): void {
    const { clock, track, judge, questions, patience: endpointing, understood, judged } = this.#deps
    this.#latest = { transcript, at: clock.now() }
    understood(transcript)
    const words = hasWords(transcript.text) ? transcript.text : ''
    const { language = this.#deps.language.now, tail, lastSound } = transcript
    const sound = (seconds: number): Int16Array<ArrayBuffer> => track.read(Math.max(from, to - seconds * 1000 * samplesPerMs), to)
    const pause = { text: words, language, sound, ...(tail && { tail }), ...(lastSound && { lastSound }) }
    questions.take(judge.judge(pause, endpointing(), signal), signal, (end) => {
      if (this.#latest) this.#latest.end = end
      judged(words, transcript, end)
    })
  }

  /** Where the time counts that a recogniser takes for the whole. Those that listen all the time know the beginning already. */
  #inParts(from: number, to: number): boolean {
    const { transcriber, patience: endpointing } = this.#deps
    if (transcriber.provider !== 'embedded') return false
    return endpointing().expects === 'digits' || to - from > longTurnMs * samplesPerMs
  }

  /** Digits, where those were asked for. */
  #asExpected(heard: Transcript): Transcript {
    const { text, language = this.#deps.language.now } = heard
    return this.#deps.patience().expects === 'digits' ? { ...heard, text: asDigits(text, language) } : heard
  }

  /** Recognisers count from what they were asked for, which begins before the voice. */
  #sinceVoice(heard: Transcript, from: number): Transcript {
    if (!heard.words) return heard
    const ms = Math.round((this.#deps.turns.voicedFrom - from) / samplesPerMs)
    const words = heard.words.map((word) => ({
      ...word,
      startMs: Math.max(0, word.startMs - ms),
      endMs: Math.max(0, word.endMs - ms),
    }))
    return { ...heard, words }
  }
}
