import { samplesPerMs } from '#core/kernel/sound/sound-track.ts'
import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import { defaultEndpointing, type EndpointingPolicy } from '#core/speech/turns/turn-silence.ts'

/** Milliseconds before the detector's `started` that belong to the first word. */
export const preRollMs = 300
/** Maximum turn; no recogniser window and no track is longer. */
const maxTurnMs = 30_000

export interface Pace {
  /** Minimum silence in milliseconds that can end a turn, whatever was said. */
  shortestMs: () => number
  /** Silence in milliseconds after which the words are requested, although the caller may continue. */
  askAfterMs: (turnMs: number) => number
}

/** Effect to perform now. Positions are samples of the track. */
export type TurnEffect =
  /** `goesOn`: the previous turn reached the maximum length; the voice did not pause. */
  | { do: 'begin'; goesOn?: true }
  /** Request the words; replaces an earlier request. */
  | { do: 'ask'; from: number; to: number }
  /** Drop the request: the caller continues. */
  | { do: 'forget' }
  /** `last`: last voiced sample; `endpoint`: position at which the silence was long enough. */
  | { do: 'end'; words: string; last: number; endpoint: number }

type State =
  | { phase: 'silent' }
  | { phase: 'speaking'; from: number }
  /** `asked`: end of the requested audio; `heard`: its words. */
  | { phase: 'pausing'; from: number; last: number; asked?: number; heard?: HeardWords }
  /**
   * Waits for the words while the caller may already be in the next turn: the turn is too long, or followed by a `pause` whose meaning depends on
   * the words. VAD results in the meantime are queued in `later`.
   */
  | { phase: 'cutting'; from: number; to: number; pause?: { last: number; until: number }; later: VoiceChange[] }

/** Words, and the silence in milliseconds after which they end the turn. */
interface HeardWords {
  words: string
  silenceMs: number
}

/** VAD result. */
interface VoiceChange {
  speaks: boolean
  at: number
}

/**
 * Begin and end of the caller's turns. Has neither clock nor audio: it gets the results of VAD and recogniser, and a call when the position `due`
 * is reached.
 */
export class TurnTaking {
  readonly #pace: Pace
  #state: State = { phase: 'silent' }
  /** Everything before this position belongs to finished turns. */
  #told = 0
  #voicedFrom = 0

  constructor(pace: Pace) {
    this.#pace = pace
  }

  /** The caller is in the middle of an utterance, pauses included. */
  get open(): boolean {
    return this.#state.phase !== 'silent'
  }

  /** The caller's voice is audible. */
  get voiced(): boolean {
    return this.#state.phase === 'speaking'
  }

  /** Start of the open turn. */
  get from(): number | undefined {
    return this.#state.phase === 'silent' ? undefined : this.#state.from
  }

  /** Start of the turn while its words were not requested; short pauses in it do not count. */
  get unaskedFrom(): number | undefined {
    const state = this.#state
    return state.phase === 'speaking' || (state.phase === 'pausing' && state.asked === undefined) ? state.from : undefined
  }

  /** First voiced position of the latest turn. */
  get voicedFrom(): number {
    return this.#voicedFrom
  }

  /** Last voiced sample, during a pause. */
  get silentFrom(): number | undefined {
    return this.#state.phase === 'pausing' ? this.#state.last : undefined
  }

  /** Position of the next step if no event comes before. */
  get due(): number | undefined {
    const state = this.#state
    if (state.phase === 'speaking') return state.from + maxTurnMs * samplesPerMs
    if (state.phase !== 'pausing') return undefined
    if (state.asked === undefined) return this.#endpoint(state, this.#askAfter(state))
    return state.heard && this.#endpoint(state, state.heard.silenceMs)
  }

  /** VAD: speech since this position. */
  started(at: number): TurnEffect[] {
    return [...this.#catchUp(at), ...this.#begin(at)]
  }

  /** VAD: no speech since this position. */
  stopped(at: number): TurnEffect[] {
    const missed = this.#state.phase === 'speaking' && (this.due ?? at) < at ? this.reached() : []
    const state = this.#state
    if (state.phase === 'cutting') state.later.push({ speaks: false, at })
    if (state.phase === 'speaking') this.#state = { phase: 'pausing', from: state.from, last: Math.max(at, state.from) }
    return missed
  }

  /** `due` is reached. */
  reached(): TurnEffect[] {
    const state = this.#state
    const { due } = this
    if (due === undefined) return []
    if (state.phase === 'speaking') {
      this.#state = { phase: 'cutting', from: state.from, to: due, later: [] }
      return [{ do: 'ask', from: state.from, to: due }]
    }
    if (state.phase !== 'pausing') return []
    if (state.asked !== undefined && state.heard) {
      return this.#end({ words: state.heard.words, last: state.last, endpoint: due }, state.asked)
    }
    this.#state = { ...state, asked: due }
    return [{ do: 'ask', from: state.from, to: due }]
  }

  /** Words between the two positions of the last request. Empty without words. */
  transcribed(words: string, silenceMs: number): TurnEffect[] {
    const state = this.#state
    if (state.phase === 'cutting') return this.#cut(state, { words, silenceMs })
    if (state.phase === 'pausing' && state.asked !== undefined) this.#state = { ...state, heard: { words, silenceMs } }
    return []
  }

  /** On a busy machine VAD may report speech before the steps due in the pause were done: those come first. */
  #catchUp(at: number): TurnEffect[] {
    const state = this.#state
    const { due } = this
    if (state.phase !== 'pausing' || due === undefined || due > at) return []
    return state.asked !== undefined || this.#mayHaveEnded(state.last, at) ? this.reached() : []
  }

  #begin(at: number): TurnEffect[] {
    const state = this.#state
    if (state.phase === 'cutting') state.later.push({ speaks: true, at })
    if (state.phase === 'silent') {
      this.#voicedFrom = at
      this.#state = { phase: 'speaking', from: Math.max(at - preRollMs * samplesPerMs, this.#told) }
      return [{ do: 'begin' }]
    }
    if (state.phase !== 'pausing') return []
    const { from, last, asked, heard } = state
    const awaited = asked !== undefined && !heard
    if (awaited && this.#mayHaveEnded(last, at)) {
      this.#state = { phase: 'cutting', from, to: asked, pause: { last, until: at }, later: [] }
      return []
    }
    this.#state = { phase: 'speaking', from }
    return awaited ? [{ do: 'forget' }] : []
  }

  /** Decides without the words. */
  #mayHaveEnded(last: number, at: number): boolean {
    return at - last >= this.#pace.shortestMs() * samplesPerMs
  }

  #cut({ from, to, pause, later }: Extract<State, { phase: 'cutting' }>, { words, silenceMs }: HeardWords): TurnEffect[] {
    if (!pause) return this.#cutLong(to, later, words)
    const { last, until } = pause
    const endpoint = last + silenceMs * samplesPerMs
    if (until >= endpoint) return [...this.#end({ words, last, endpoint }, to), ...this.#replay([{ speaks: true, at: until }, ...later])]
    this.#state = { phase: 'speaking', from }
    return this.#replay(later)
  }

  #cutLong(to: number, later: readonly VoiceChange[], words: string): TurnEffect[] {
    const ended = this.#end({ words, last: to, endpoint: to }, to)
    const [first] = later
    if (first && first.at <= to) return [...ended, ...this.#replay(later.slice(1))] // no speech after it
    this.#voicedFrom = to
    this.#state = { phase: 'speaking', from: to }
    return [...ended, { do: 'begin', goesOn: true }, ...this.#replay(later)]
  }

  #replay(changes: readonly VoiceChange[]): TurnEffect[] {
    return changes.flatMap(({ speaks, at }) => (speaks ? this.started(at) : this.stopped(at)))
  }

  #end(end: { words: string; last: number; endpoint: number }, to: number): TurnEffect[] {
    this.#told = to
    this.#state = { phase: 'silent' }
    return [{ do: 'end', ...end }]
  }

  #askAfter({ from, last }: { from: number; last: number }): number {
    return Math.min(this.#pace.askAfterMs((last - from) / samplesPerMs), this.#pace.shortestMs())
  }

  #endpoint({ from, last }: { from: number; last: number }, silenceMs: number): number {
    const maxLength = Math.max(from + maxTurnMs * samplesPerMs, last)
    return Math.min(last + silenceMs * samplesPerMs, maxLength)
  }
}

export const endpointingOf = ({
  endOfTurnSilenceMs,
  turnTaking,
}: Pick<FlowSettings, 'endOfTurnSilenceMs' | 'turnTaking'>): EndpointingPolicy => ({
  ...defaultEndpointing,
  ...(endOfTurnSilenceMs !== undefined && { silenceMs: endOfTurnSilenceMs }),
  ...(turnTaking && { turnTaking }),
})

type Input = Pick<ActionOf<'configure_transcription'>, 'vad' | 'turn_taking'>

/** An action's values apply until another action changes them. */
export const endpointingAfter = (before: EndpointingPolicy, { vad, turn_taking: turnTaking }: Input): EndpointingPolicy => ({
  ...before,
  silenceMs: vad?.end_of_turn_silence_ms ?? before.silenceMs,
  turnTaking: turnTaking ?? before.turnTaking,
})

type Expecting = Pick<ActionOf<'speak'>, 'expects' | 'expects_digits' | 'expects_options'>

/** Applies until the next expectation. */
export const endpointingExpecting = (
  before: EndpointingPolicy,
  { expects = 'anything', expects_digits: expectsDigits, expects_options: expectsOptions }: Expecting,
): EndpointingPolicy => ({
  ...before,
  expects,
  expectsDigits,
  expectsOptions,
})
