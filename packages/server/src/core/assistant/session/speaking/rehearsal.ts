import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import { noLongerWanted } from '#core/kernel/work/waiting.ts'
import { systemPhrases } from '#core/speech/system-phrases/system-phrases.ts'
import { readSpeech } from '#core/speech/ssml/read-speech.ts'
import { abandonMs } from '#core/speech/voices/rehearsals.ts'
import { Speaker } from '#core/speech/voices/speaker.ts'
import type { Occasion } from '#core/speech/voices/speech-cache.ts'
import { Lexicon } from '#core/speech/voices/lexicon.ts'
import { chooseVoices } from '#core/speech/voices/voices.ts'
import type { ConversationDeps } from '../conversation.ts'
import { systemPhraseLanguage } from '../session-language.ts'
import { partsOf } from './speech-parts.ts'
import type { SpeechPlayout } from './speech-playout.ts'

type Line = Pick<ActionOf<'speak'>, 'tts'> & { text: string }

/** Synthesizes speech that a conversation may need soon, so that it starts immediately. */
export class Rehearsal {
  readonly #deps: ConversationDeps
  readonly #lexicon: Lexicon
  readonly #speaks: (language: string) => boolean
  #closed = false
  #hasSystemPhrases = false
  #latest = new AbortController()

  constructor(deps: ConversationDeps, speaks: (language: string) => boolean) {
    this.#deps = deps
    this.#lexicon = new Lexicon(deps.flow.settings.pronunciations ?? [])
    this.#speaks = speaks
  }

  /** After a speech is made: synthesizes its prefetch texts and the system phrases. */
  async after(made: Promise<void> | undefined, { prefetch = [], tts }: Pick<ActionOf<'speak'>, 'prefetch' | 'tts'>): Promise<void> {
    await made
    if (this.#closed) return
    if (prefetch.length > 0) this.#prefetch(prefetch.map((text) => ({ text, ...(tts && { tts }) })))
    this.#prerenderSystemPhrases()
  }

  close(): void {
    this.#closed = true
    this.#latest.abort(noLongerWanted)
  }

  /** Replaces the prefetches of earlier answers. */
  #prefetch(lines: readonly Line[]): void {
    this.#latest.abort(noLongerWanted)
    this.#latest = new AbortController()
    for (const line of lines) this.#deps.rehearsals.add(this.#latest.signal, (signal) => this.#make(line, 'in advance', signal))
  }

  /** Runs once for all sessions of a flow, and only with free voices that stay the same. */
  #prerenderSystemPhrases(): void {
    if (this.#hasSystemPhrases) return
    this.#hasSystemPhrases = true
    const { rehearsals, flow, language, speech } = this.#deps
    const name = JSON.stringify([flow.id, language.own, language.now, flow.settings])
    rehearsals.addOnce(name, async (signal) => {
      const own = systemPhraseLanguage(language, this.#speaks)
      for (const line of linesOfOurs(flow.settings, own)) {
        const [voice] = chooseVoices(speech, line.tts, flow.settings.tts, language.own).voices
        if (voice?.tts.version?.(voice.language) !== undefined) await this.#make(line, 'own words', signal)
      }
    })
  }

  async #make({ text, tts }: Line, occasion: Occasion, signal: AbortSignal): Promise<void> {
    const { speech, flow, cache, clock, outbound, language } = this.#deps
    const choice = chooseVoices(speech, tts, flow.settings.tts, language.own)
    const problem = (): void => {} // reported when it is said
    const making = {
      speaker: new Speaker({ cache, clock, occasion, lexicon: this.#lexicon }, choice, problem),
      outbound,
      signal,
      problem,
      unsaid: false,
    }
    const reading = readSpeech({ text, ssml: undefined, language: choice.voices[0]?.language ?? language.own })
    for await (const part of partsOf(reading, making)) {
      for await (const _ of part.sound(abandonMs)) if (signal.aborted) return
    }
  }
}

/** Texts that the service may have to say; the flow's own texts are said in its language. */
const linesOfOurs = ({ retryText, fallback, fillers }: FlowSettings, language: string): Line[] => {
  const own = systemPhrases(language)
  const line = (written: string | undefined, ours: string): Line =>
    written === undefined ? { text: ours, tts: { language } } : { text: written }
  const hasGoodbye = fallback?.text !== undefined || fallback?.transferTo === undefined
  const whileWaiting = fillers?.texts?.map((text) => line(text, text)) ?? own.fillers.map((text) => line(undefined, text))
  return [
    ...(fillers?.off === true ? [] : whileWaiting),
    line(retryText, own.retry),
    ...(hasGoodbye ? [line(fallback?.text, own.goodbye)] : []),
    line(undefined, own.stillThere),
    line(undefined, own.noAnswer),
  ]
}

type Speech = ActionOf<'speak'> | ActionOf<'audio'>

/** Speeches synthesized in advance, which may never be heard. They stay silent. */
export class PreparedSpeeches {
  /** Undefined for a further part of one of them. */
  readonly #speeches = new Map<Speech, SpeechPlayout | undefined>()
  /** Dropped speeches that still release their resources. */
  readonly #ending = new Set<Promise<void>>()

  add(action: Speech, speech: SpeechPlayout | undefined): void {
    this.#speeches.set(action, speech)
    speech?.prepare()
  }

  /** Speech prepared for the action, or the result of `make`; undefined if there is none to play. */
  take(action: Speech, make: () => SpeechPlayout | undefined): SpeechPlayout | undefined {
    if (!this.#speeches.has(action)) return make()
    const speech = this.#speeches.get(action)
    this.#speeches.delete(action)
    return speech
  }

  drop(): void {
    for (const speech of this.#speeches.values()) {
      if (!speech) continue
      speech.stop()
      const ended = speech.done.then(() => void this.#ending.delete(ended))
      this.#ending.add(ended)
    }
    this.#speeches.clear()
  }

  async close(): Promise<void> {
    this.drop()
    await Promise.all(this.#ending)
  }
}
