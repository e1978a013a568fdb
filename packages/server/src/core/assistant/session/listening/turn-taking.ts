import { samplesPerMs } from '#core/kernel/sound/sound-track.ts'

/** How much sound before the detector's `started` belongs to the first word. */
export const preRollMs = 300
/** No recogniser's window and no track is longer. */
const maxTurnMs = 30_000

export interface Pace {
  /** For how many milliseconds the caller must be silent, whatever was said, so that the turn is over. */
  shortestMs: () => number
  /** After this much silence the words are asked for, although the caller may continue. */
  askAfterMs: (turnMs: number) => number
}

/** What has to be done now. Positions are those of the ear's track. */
export type TurnEffect =
  /** `goesOn`: the turn before was only too long; the voice did not pause. */
  | { do: 'begin'; goesOn?: true }
  /** Find out what was said; takes the place of an earlier question. */
  | { do: 'ask'; from: number; to: number }
  /** The question is no longer of interest: the caller goes on. */
  | { do: 'forget' }
  /** `last`: the last voiced sample; `endpoint`: where the silence was long enough. */
  | { do: 'end'; words: string; last: number; endpoint: number }

type State =
  | { phase: 'silent' }
  | { phase: 'speaking'; from: number }
  /** `asked`: what was said until then is being found out; `heard`: this was it. */
  | { phase: 'pausing'; from: number; last: number; asked?: number; heard?: HeardWords }
  /**
   * Its words are awaited while the caller may be in the next turn already: it is too long, or followed by a `pause` of which only the
   * words tell whether it ends it. What the detector says meanwhile is looked at `later`.
   */
  | { phase: 'cutting'; from: number; to: number; pause?: { last: number; until: number }; later: VoiceChange[] }

/** What was said, and for how many milliseconds the caller must be silent after it, so that the turn is over. */
interface HeardWords {
  words: string
  silenceMs: number
}

/** A result of the voice detector. */
interface VoiceChange {
  speaks: boolean
  at: number
}

/**
 * When the caller's turn begins and ends. Knows neither clock nor sound: it is told what the detector and the recogniser say, and that
 * the position `due` is reached.
 */
export class TurnTaking {
  readonly #pace: Pace
  #state: State = { phase: 'silent' }
  /** Everything before belongs to turns that are over. */
  #told = 0
  #voicedFrom = 0

  constructor(pace: Pace) {
    this.#pace = pace
  }

  /** The caller is in the middle of an utterance, pauses included. */
  get open(): boolean {
    return this.#state.phase !== 'silent'
  }

  /** The caller's voice is heard. */
  get voiced(): boolean {
    return this.#state.phase === 'speaking'
  }

  /** Where the turn begins that is not over. */
  get from(): number | undefined {
    return this.#state.phase === 'silent' ? undefined : this.#state.from
  }

  /** Where the turn begins, as long as its words were not asked for; short pauses in it do not count. */
  get unaskedFrom(): number | undefined {
    const state = this.#state
    return state.phase === 'speaking' || (state.phase === 'pausing' && state.asked === undefined) ? state.from : undefined
  }

  /** Where the voice of the turn that began last was heard first. */
  get voicedFrom(): number {
    return this.#voicedFrom
  }

  /** The last voiced sample, in a pause. */
  get silentFrom(): number | undefined {
    return this.#state.phase === 'pausing' ? this.#state.last : undefined
  }

  /** The position at which something has to be done if nothing else happens before. */
  get due(): number | undefined {
    const state = this.#state
    if (state.phase === 'speaking') return state.from + maxTurnMs * samplesPerMs
    if (state.phase !== 'pausing') return undefined
    if (state.asked === undefined) return this.#endpoint(state, this.#askAfter(state))
    return state.heard && this.#endpoint(state, state.heard.silenceMs)
  }

  /** The detector: speech since this position. */
  started(at: number): TurnEffect[] {
    return [...this.#catchUp(at), ...this.#begin(at)]
  }

  /** The detector: no speech since this position. */
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

  /** The words between the two positions that were asked for last. Empty: no words. */
  transcribed(words: string, silenceMs: number): TurnEffect[] {
    const state = this.#state
    if (state.phase === 'cutting') return this.#cut(state, { words, silenceMs })
    if (state.phase === 'pausing' && state.asked !== undefined) this.#state = { ...state, heard: { words, silenceMs } }
    return []
  }

  /** On a busy machine speech may be reported before what was due in the pause was done: then that comes first. */
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

  /** As far as can be told without the words. */
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
    if (first && first.at <= to) return [...ended, ...this.#replay(later.slice(1))] // nothing was said after it
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
