import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import { WavRefused } from '#core/kernel/sound/pcm-wav.ts'
import { noLongerWanted } from '#core/kernel/work/no-longer-wanted.ts'
import { Speaker } from '#core/speech/voices/speaker.ts'
import { chooseVoices } from '#core/speech/voices/voices.ts'
import { readSpeech } from '#core/speech/ssml/read-speech.ts'
import { bargeInRule } from '@offhook/contract/assistant/barge-in.ts'
import { noBargeIn } from '../conversation/barge-in.ts'
import { readCustomerWav } from './fetch-sound.ts'
import { partsOf, soundPart, type PartMaking, type SpeechPart } from './speech-parts.ts'
import { SpeechPlayout, type SpeechOrder } from './speech-playout.ts'
import { StreamedSpeech } from './streamed-speech.ts'
import type { ConversationDeps } from '../conversation/conversation.ts'

type Order = Pick<SpeechOrder, 'written' | 'parts' | 'provider' | 'abandon' | 'unsaid' | 'rests' | 'aside'>

/** How many streams that were cut off are remembered, so that later pieces of them are ignored. */
const cutStreamsKept = 100

/** Turns speak and audio actions into speeches. */
export class SpeechFactory {
  readonly #deps: ConversationDeps
  readonly #problem: (eventId: string, message: string) => void
  /** Streams that more pieces may come for. */
  readonly #streams = new Map<string, StreamedSpeech>()
  /** Streams that were cut off: later pieces of them are ignored. */
  readonly #cutStreams = new Set<string>()

  constructor(deps: ConversationDeps, problem: (eventId: string, message: string) => void) {
    this.#deps = deps
    this.#problem = problem
  }

  /** More pieces of this stream may come. */
  isStreaming(id: string): boolean {
    return this.#streams.get(id)?.ended === false
  }

  /** Undefined: the action continues a speech that is there already, or that was cut. */
  speak(action: ActionOf<'speak'>, eventId: string, aside?: () => void): SpeechPlayout | undefined {
    const { text, ssml } = action
    if (action.stream_id !== undefined) return this.#stream(action, action.stream_id, eventId)
    const { making, language, abandon } = this.#making(action, eventId)
    const reading = readSpeech({ text, ssml, language })
    for (const problem of reading.problems) making.problem(problem)
    const written = { ...(ssml === undefined && { text: text ?? '' }), ...(ssml !== undefined && { ssml }) }
    return this.#playout(action, eventId, {
      written: () => written,
      parts: partsOf(reading, making),
      provider: () => making.speaker.provider,
      unsaid: () => making.unsaid,
      abandon,
      ...(aside && { aside }),
    })
  }

  /** Beside the conversation. The caller's words do not stop it, because it is over in a moment, and they are no answer to it. */
  filler(action: ActionOf<'speak'>, eventId: string, sounds: () => void): SpeechPlayout | undefined {
    return this.speak({ ...action, barge_in: { strategy: 'manual' } }, eventId, sounds)
  }

  speaks(language: string): boolean {
    const { speech, flow } = this.#deps
    return chooseVoices(speech, { language }, flow.settings.tts, language).voices.some(({ tts }) => tts.speaks(language))
  }

  audio(action: ActionOf<'audio'>, eventId: string): SpeechPlayout {
    let refused = false
    return this.#playout(action, eventId, {
      written: () => ({}),
      parts: this.#recorded(action, eventId, () => (refused = true)),
      provider: () => undefined,
      unsaid: () => refused,
      abandon: () => {},
    })
  }

  /** Sound that the endpoint sends while it is heard. A silence in it is its own affair. */
  live(eventId: string, order: Pick<SpeechOrder, 'parts' | 'abandon'>): SpeechPlayout {
    const { leg, clock, flow } = this.#deps
    const rule = bargeInRule(undefined, flow.settings.bargeIn)
    const about = { eventId, action: 'audio', rule, protect: false, streamId: undefined, wantsAnswer: false, live: true } as const
    const silent = { written: () => ({}), provider: () => undefined, unsaid: () => false, rests: () => true }
    return new SpeechPlayout({ ...about, ...silent, ...order }, leg, clock)
  }

  /** `audio` cannot be played: this says why. */
  refuse(error: unknown, eventId: string): void {
    if (!(error instanceof WavRefused)) throw error
    this.#problem(eventId, `audio: ${error.message}`)
  }

  async *#recorded({ audio }: ActionOf<'audio'>, eventId: string, refused: () => void): AsyncGenerator<SpeechPart> {
    try {
      yield soundPart(readCustomerWav(audio).sound)
    } catch (error) {
      refused()
      this.refuse(error, eventId)
    }
  }

  #stream(action: ActionOf<'speak'>, id: string, eventId: string): SpeechPlayout | undefined {
    const last = action.last ?? true
    if (this.#cutStreams.has(id)) {
      if (last) this.#cutStreams.delete(id)
      return undefined
    }
    const known = this.#streams.get(id)
    const stream = known && !known.ended ? known : undefined
    if (stream) {
      stream.append(action)
      if (last) stream.end()
      return undefined
    }
    return this.#openStream(action, id, eventId, last)
  }

  #openStream(action: ActionOf<'speak'>, id: string, eventId: string, last: boolean): SpeechPlayout {
    const { making, language, abandon } = this.#making(action, eventId)
    const stream = new StreamedSpeech(this.#deps.clock, language, making)
    stream.append(action)
    if (last) stream.end()
    this.#streams.set(id, stream)
    return this.#playout(action, eventId, {
      written: () => ({ text: stream.text }),
      parts: stream.parts(),
      provider: () => making.speaker.provider,
      unsaid: () => making.unsaid,
      rests: () => stream.asks,
      abandon: () => {
        if (this.#streams.get(id) === stream) this.#streams.delete(id)
        if (!stream.ended) this.#rememberCut(id)
        stream.end()
        abandon()
      },
    })
  }

  #rememberCut(id: string): void {
    this.#cutStreams.add(id)
    const [oldest] = this.#cutStreams
    if (this.#cutStreams.size > cutStreamsKept && oldest !== undefined) this.#cutStreams.delete(oldest)
  }

  #making(action: ActionOf<'speak'>, eventId: string): { making: PartMaking; language: string; abandon: () => void } {
    const { speech, flow, cache, clock, outbound, leg } = this.#deps
    const problem = (message: string): void => this.#problem(eventId, message)
    const choice = chooseVoices(speech, action.tts, flow.settings.tts, this.#deps.language.own)
    const stop = new AbortController()
    const making = {
      speaker: new Speaker({ cache, clock, occasion: { call: leg.id } }, choice, problem),
      outbound,
      signal: stop.signal,
      problem,
      unsaid: false,
    }
    return { making, language: choice.voices[0]?.language ?? this.#deps.language.own, abandon: () => stop.abort(noLongerWanted) }
  }

  #playout(action: ActionOf<'speak'> | ActionOf<'audio'>, eventId: string, order: Order): SpeechPlayout {
    const { leg, clock, flow } = this.#deps
    const speak = action.type === 'speak' ? action : undefined
    const protect = speak?.protect === true
    const rule = protect ? noBargeIn : bargeInRule(action.barge_in, flow.settings.bargeIn)
    const wantsAnswer = speak !== undefined && (speak.expects ?? 'anything') !== 'anything'
    const about = { eventId, action: action.type, rule, protect, streamId: speak?.stream_id, wantsAnswer }
    return new SpeechPlayout({ ...about, ...order }, leg, clock)
  }
}
