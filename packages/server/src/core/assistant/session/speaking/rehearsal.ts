import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import { noLongerWanted } from '#core/kernel/work/no-longer-wanted.ts'
import { systemPhrases } from '#core/speech/system-phrases/languages.ts'
import { readSpeech } from '#core/speech/ssml/read-speech.ts'
import { abandonMs } from '#core/speech/voices/rehearsals.ts'
import { Speaker } from '#core/speech/voices/speaker.ts'
import type { Occasion } from '#core/speech/voices/speech-cache.ts'
import { chooseVoices } from '#core/speech/voices/voices.ts'
import type { ConversationDeps } from '../conversation/conversation.ts'
import { systemPhraseLanguage } from '../language/session-language.ts'
import { partsOf } from './speech-parts.ts'

type Line = Pick<ActionOf<'speak'>, 'tts'> & { text: string }

/** Has sound made that a conversation may need soon, so that it is there at once. */
export class Rehearsal {
  readonly #deps: ConversationDeps
  readonly #speaks: (language: string) => boolean
  #closed = false
  #hasSystemPhrases = false
  #latest = new AbortController()

  constructor(deps: ConversationDeps, speaks: (language: string) => boolean) {
    this.#deps = deps
    this.#speaks = speaks
  }

  /** When a speech is made: what its action says may come next, and what we may have to say ourselves. */
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

  /** In place of what earlier answers thought likely. */
  #prefetch(lines: readonly Line[]): void {
    this.#latest.abort(noLongerWanted)
    this.#latest = new AbortController()
    for (const line of lines) this.#deps.rehearsals.add(this.#latest.signal, (signal) => this.#make(line, 'in advance', signal))
  }

  /** Once for all sessions of a flow, and only in voices that cost nothing and stay the same. */
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
    const problem = (): void => {} // it is told when it is said
    const making = { speaker: new Speaker({ cache, clock, occasion }, choice, problem), outbound, signal, problem, unsaid: false }
    const reading = readSpeech({ text, ssml: undefined, language: choice.voices[0]?.language ?? language.own })
    for await (const part of partsOf(reading, making)) {
      for await (const _ of part.sound(abandonMs)) if (signal.aborted) return
    }
  }
}

/** What callers may hear from us; the flow's own texts are said in its language. */
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
    line(undefined, own.nobodyThere),
  ]
}
