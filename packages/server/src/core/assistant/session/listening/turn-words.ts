import type { Clock } from '#core/kernel/ports/platform.ts'
import type { ExpectedAnswer, Transcript } from '#core/kernel/ports/speech.ts'
import { samplesPerMs, type SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { noLongerWanted, within } from '#core/kernel/work/waiting.ts'
import { expectedAnswer } from '#core/speech/turns/expected-answer.ts'
import { asDigits } from '#core/speech/spelling/as-digits.ts'
import { type EndpointingPolicy, limitsOf, silenceAfter, silenceWithoutWords, type TurnSilence } from '#core/speech/turns/turn-silence.ts'
import type { Transcriber } from '#core/speech/voices/transcriber.ts'
import { hasWords } from '@offhook/contract/assistant/barge-in.ts'
import type { TurnEnd } from '../conversation.ts'
import type { SessionLanguage } from '../session-language.ts'
import { type TurnTaking, preRollMs } from './turn-taking.ts'
import type { EndOfTurn, Pause, TurnDetector } from '#core/kernel/ports/assistant.ts'
import { embeddedTurnDetector } from '#core/speech/turns/embedded-turn-detector.ts'

/** Milliseconds above which words from an earlier pause are reused instead of recognised again. */
const longTurnMs = 8000

interface TurnWordsDeps {
  clock: Clock
  language: SessionLanguage
  track: SoundTrack
  turns: Pick<TurnTaking, 'silentFrom' | 'voicedFrom'>
  transcriber: Pick<Transcriber, 'transcribe' | 'provider'>
  judge: EndJudge
  questions: Questions
  patience: () => EndpointingPolicy
  asked: () => string | undefined
  understood: (transcript: Transcript) => void
  /** `words`: empty without words. */
  judged: (words: string, transcript: Transcript, end: TurnEnd) => void
}

/** Words of a turn up to a pause, and whether it ends there. */
export class TurnWords {
  readonly #deps: TurnWordsDeps
  readonly #soFar = new SaidSoFar()
  #question: AbortController | undefined
  #latest: { transcript: Transcript; at: number; end?: TurnEnd } | undefined

  constructor(deps: TurnWordsDeps) {
    this.#deps = deps
  }

  /** Latest transcript and its time. */
  get latest(): { transcript: Transcript; at: number; end?: TurnEnd } | undefined {
    return this.#latest
  }

  /** The voice resumes at this position. */
  goesOn(at: number): void {
    this.#soFar.goesOn(at)
  }

  /** Replaces an earlier request. */
  ask(from: number, to: number): void {
    this.forget()
    const question = new AbortController()
    this.#question = question
    const { signal } = question
    const { turns, transcriber, questions } = this.#deps
    const last = turns.silentFrom
    const inParts = this.#inParts(from, to)
    const asked = transcriber.transcribe(inParts ? this.#soFar.unknownFrom(from) : from, to, signal, this.#expected)
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
    const asked = this.#deps.asked()
    this.#latest = { transcript, at: clock.now() }
    understood(transcript)
    const words = hasWords(transcript.text) ? transcript.text : ''
    const { language = this.#deps.language.now, tail, lastSound } = transcript
    const sound = (seconds: number): Int16Array<ArrayBuffer> => track.read(Math.max(from, to - seconds * 1000 * samplesPerMs), to)
    const pause = {
      text: words,
      language,
      sound,
      ...(asked !== undefined && { asked }),
      ...(tail && { tail }),
      ...(lastSound && { lastSound }),
    }
    questions.take(judge.judge(pause, endpointing(), signal), signal, (end) => {
      if (this.#latest) this.#latest.end = end
      judged(words, transcript, end)
    })
  }

  get #expected(): ExpectedAnswer | undefined {
    return expectedAnswer(this.#deps.patience())
  }

  /** True if recognition of the whole turn would take too long. Streaming recognisers already know its beginning. */
  #inParts(from: number, to: number): boolean {
    const { transcriber, patience: endpointing } = this.#deps
    if (transcriber.provider !== 'embedded') return false
    return endpointing().expects === 'digits' || to - from > longTurnMs * samplesPerMs
  }

  /** Converts words to digits if digits are expected. */
  #asExpected(heard: Transcript): Transcript {
    const { text, language = this.#deps.language.now } = heard
    return this.#deps.patience().expects === 'digits' ? { ...heard, text: asDigits(text, language) } : heard
  }

  /** Shifts word times: recognisers count from the requested audio, which begins before the voice. */
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

/** Minimum pause in milliseconds that cannot be inside a word. */
const betweenWordsMs = 300

/** Transcript of a turn up to a pause; positions are samples of the track. */
interface Understood {
  /** Start of the turn. */
  turn: number
  /** End of the voice, and end of the recognised audio. */
  last: number
  to: number
  transcript: Transcript
}

/** Words of a turn up to its last pause. Recognition time grows with the audio, so only the part after that pause is recognised again. */
export class SaidSoFar {
  #understood: Understood | undefined
  #kept: { turn: number; transcript: Transcript; rest: number } | undefined

  /** Stores the words recognised in a pause. */
  understood(understood: Understood): void {
    this.#understood = understood
  }

  /** The voice resumes at this position. A voice without words is recognised again: more audio may make it clear. */
  goesOn(at: number): void {
    const understood = this.#understood
    this.#understood = undefined
    if (!understood || at - understood.last < betweenWordsMs * samplesPerMs || !hasWords(understood.transcript.text)) return
    const { turn, transcript, to } = understood
    this.#kept = { turn, transcript, rest: Math.max(to, at - preRollMs * samplesPerMs) }
  }

  /** Start of the part without known words, for the turn that begins at this position. */
  unknownFrom(turn: number): number {
    return this.#kept?.turn === turn ? this.#kept.rest : turn
  }

  /** Whole turn, given the words of that part. */
  with(turn: number, rest: Transcript): Transcript {
    return this.#kept?.turn === turn ? joined(this.#kept.transcript, rest) : rest
  }
}

/** The rest determines the ending, the beginning determines the language. */
const joined = (before: Transcript, rest: Transcript): Transcript => {
  if (!hasWords(rest.text)) return before
  const confidence = meanConfidence(before, rest)
  return {
    ...rest,
    text: `${before.text.trimEnd()} ${rest.text.trimStart()}`,
    ...(before.language !== undefined && { language: before.language }),
    ...(confidence !== undefined && { confidence }),
  }
}

/** Weighted by text length. */
const meanConfidence = (before: Transcript, rest: Transcript): number | undefined => {
  if (before.confidence === undefined || rest.confidence === undefined) return rest.confidence
  const [long, short] = [before.text.length, rest.text.length]
  return (before.confidence * long + rest.confidence * short) / (long + short)
}

/** Milliseconds to wait for a detector. */
const answerTimeoutMs = 300
/** Consecutive failures after which the detector is no longer asked. */
const maxFailures = 3

/** Decides in every pause how long it may last. Replaces a failing detector by the embedded one and reports it. */
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

  /** `pause`: without text if no words were recognised. */
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

/** Pending requests. Ignores results after their signal was aborted; reports failures before that. */
export class Questions {
  readonly #open = new Set<Promise<void>>()
  readonly #failed: (error: Error) => void

  constructor(failed: (error: Error) => void) {
    this.#failed = failed
  }

  take<T>(answer: Promise<T>, signal: AbortSignal, take: (answer: T) => void): void {
    const question = answer
      .then((given) => {
        if (!signal.aborted) take(given)
      })
      .catch((error: unknown) => {
        if (!signal.aborted) this.#failed(error instanceof Error ? error : new Error(String(error)))
      })
      .finally(() => this.#open.delete(question))
    this.#open.add(question)
  }

  /** Resolves when all requests are answered or given up. */
  async done(): Promise<void> {
    await Promise.all(this.#open)
  }
}

/**
 * How to get partials from a recogniser that only returns finals. `guess`: decides an interruption, so the recogniser takes the time; `glance`:
 * only reported, so it must not delay others.
 */
export type PartialMode = 'guess' | 'glance'

/**
 * Intervals after the start of the voice. `share` lengthens them in proportion to the turn: everything is recognised again each time, and a long
 * turn must not cost more per second than a short one.
 */
const pace: Record<PartialMode, { firstMs: number; nextMs: number; share: number }> = {
  guess: { firstMs: 200, nextMs: 200, share: 0 },
  glance: { firstMs: 600, nextMs: 600, share: 1 / 6 },
}

interface EarlyWordsDeps {
  clock: Clock
  track: SoundTrack
  transcriber: Pick<Transcriber, 'guess' | 'glance'>
  /** `take` is called with the answer, unless the signal was aborted. */
  ask: (answer: Promise<Transcript>, signal: AbortSignal, take: (heard: Transcript) => void) => void
  /** Empty without words. The callee requests the next partial by `attend`. */
  understood: (heard: Transcript) => void
}

/** Polls for words while the caller speaks, as long as barge-in or the endpoint needs them. */
export class EarlyWords {
  readonly #deps: EarlyWordsDeps
  #asking: { how: PartialMode; stop: () => void } | undefined
  #voiceFrom = 0
  #askedAt: number | undefined

  constructor(deps: EarlyWordsDeps) {
    this.#deps = deps
  }

  /** A turn begins at this position. */
  begins(at: number): void {
    this.#voiceFrom = at
    this.#askedAt = undefined
  }

  /** Requests the words since `from`. */
  attend(how: PartialMode, from: number): void {
    if (this.#asking && this.#asking.how !== how) this.stop()
    this.#asking ??= { how, stop: this.#askSoon(how, from) }
  }

  stop(): void {
    this.#asking?.stop()
    this.#asking = undefined
  }

  #askSoon(how: PartialMode, from: number): () => void {
    const { clock, track, transcriber, ask, understood } = this.#deps
    const question = new AbortController()
    const cancel = clock.after(Math.max(0, this.#due(how) - track.length) / samplesPerMs, () => {
      this.#askedAt = track.length
      ask(transcriber[how](from, track.length, question.signal), question.signal, (heard) => {
        this.#asking = undefined
        understood(heard)
      })
    })
    return () => {
      cancel()
      question.abort(noLongerWanted)
    }
  }

  /** Next poll position, once there is enough audio to recognise. */
  #due(how: PartialMode): number {
    const { firstMs, nextMs, share } = pace[how]
    const asked = this.#askedAt
    if (asked === undefined) return this.#voiceFrom + firstMs * samplesPerMs
    return asked + Math.max(nextMs * samplesPerMs, share * (asked - this.#voiceFrom))
  }
}
