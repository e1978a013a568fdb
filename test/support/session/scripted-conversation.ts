import type { Emitter, AnsweredBy, Said, Conversation, ConversationEvents } from '#core/assistant/session/conversation.ts'
import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { SessionLanguage } from '#core/assistant/session/session-language.ts'
import type { Outside } from '../chance/outside.ts'

/** Milliseconds per letter. */
export const letterMs = 50
const audioMs = 1_000

type Sound = { eventId: string; action: ActionOf<'speak'> | ActionOf<'audio'>; startedAt: number; aside?: () => void }

/** Conversation that follows the test's script. Only for session rules. */
export class ScriptedConversation implements Conversation {
  readonly log: string[] = []
  /** Periods with sound. */
  readonly sounded: { from: number; to: number }[] = []
  callerSpeaks = false
  speaks: (language: string) => boolean = () => true
  closed = false
  playsBackground = false
  stalled = false
  readonly sound = undefined
  answeredBy = Promise.withResolvers<AnsweredBy>()
  readonly #clock: Clock
  readonly #outside: Outside
  readonly #language: SessionLanguage
  readonly #events: Emitter<ConversationEvents>
  readonly #waiting: Sound[] = []
  #playing: Sound | undefined
  #cancel: () => void = () => {}

  constructor(
    { clock, outside, language }: { clock: Clock; outside: Outside; language: SessionLanguage },
    events: Emitter<ConversationEvents>,
  ) {
    this.#clock = clock
    this.#outside = outside
    this.#language = language
    this.#events = events
  }

  get speaking(): boolean {
    return this.#playing !== undefined || this.#waiting.length > 0
  }

  isStreaming(streamId: string): boolean {
    return [this.#playing, ...this.#waiting].some((sound) => sound?.action.type === 'speak' && sound.action.stream_id === streamId)
  }

  say(action: ActionOf<'speak'>, eventId: string): void {
    this.#do(`say ${action.text ?? action.ssml}`)
    this.#waiting.push({ eventId, action, startedAt: 0 })
    if (!this.#playing) this.#later(0, () => this.#next())
  }

  sayAside(action: ActionOf<'speak'>, eventId: string, sounds: () => void): () => void {
    this.#do(`fill ${action.text}`)
    const sound: Sound = { eventId, action, startedAt: 0, aside: sounds }
    this.#waiting.push(sound)
    if (!this.#playing) this.#later(0, () => this.#next())
    return () => {
      const at = this.#waiting.indexOf(sound)
      if (at >= 0) this.#waiting.splice(at, 1)
    }
  }

  play(action: ActionOf<'audio'>, eventId: string): void {
    this.#do('play')
    this.#waiting.push({ eventId, action, startedAt: 0 })
    if (!this.#playing) this.#later(0, () => this.#next())
  }

  prepare(action: ActionOf<'speak'> | ActionOf<'audio'>): void {
    this.#do(`prepare ${action.type === 'speak' ? action.text : 'sound'}`)
  }

  dropPrepared(): void {
    this.log.push('drop')
  }

  expect({ expects, expects_digits: digits }: Pick<ActionOf<'speak'>, 'expects' | 'expects_digits'>): void {
    if (expects) this.log.push(`expect ${expects}${digits === undefined ? '' : ` ${digits}`}`)
  }

  interrupt(): void {
    this.#do('interrupt')
    const wasSpeaking = this.speaking
    this.#waiting.length = 0
    this.#cut()
    if (wasSpeaking) this.#events.emit('quiet')
  }

  bargeIn(): void {
    this.interrupt()
  }

  get protects(): boolean {
    return [this.#playing, ...this.#waiting].some(isProtected)
  }

  configure({ languages = [] }: ActionOf<'configure_transcription'>): void {
    if (languages.length > 0) this.#language.expect(languages)
    this.#do(`configure ${languages.join()}`)
  }

  background({ stop = false }: ActionOf<'mix_audio'>): void {
    this.playsBackground = !stop
    this.#do(`background ${stop ? 'stop' : 'on'}`)
  }

  detectMachine(): Promise<AnsweredBy> {
    this.#do('detect')
    return this.answeredBy.promise
  }

  async close(): Promise<void> {
    this.closed = true
    this.#cancel()
    this.#playing = undefined
    this.answeredBy.resolve('unknown')
    this.#do('close')
  }

  // Actions of the caller.

  callerBegins(): void {
    if (this.closed || this.callerSpeaks) return
    this.callerSpeaks = true
    this.#events.emit('speechStarted')
  }

  coughs(voiceMs = 300): void {
    this.callerBegins()
    this.callerSpeaks = false
    if (!this.closed) this.#events.emit('falseAlarm', voiceMs)
  }

  /** Back-channel while the assistant speaks. */
  callerListens(text: string): void {
    if (this.closed) return
    this.callerBegins()
    this.#events.emit('ducked', true)
    this.callerSpeaks = false
    this.#events.emit('backchannel', text)
    this.#events.emit('ducked', false)
  }

  /** Barges in, unless `breaksIn` is false. */
  callerSays(
    text: string,
    { breaksIn = true, ...more }: { breaksIn?: boolean; language?: string; confidence?: number; snrDb?: number } = {},
  ): void {
    if (this.closed) return
    this.callerBegins()
    const cut = breaksIn && !this.#playing?.aside && !isProtected(this.#playing) ? this.#callerCuts() : undefined
    this.callerSpeaks = false
    const timing = { speechEndedAt: this.#clock.now() - 600, vadEndMs: 40, endpointMs: 500, sttFinalMs: 600 }
    const said: Said = {
      text,
      bargedIn: cut !== undefined,
      ...more,
      ...(cut !== undefined && { heardMs: cut, heardText: '' }),
      durationMs: 900,
      timing,
    }
    this.#language.heard(said)
    this.#events.emit('said', said)
  }

  /** The caller pauses and has probably finished. */
  callerPauses(text: string): void {
    if (this.closed) return
    this.callerBegins()
    this.#events.emit('previewed', { text, confidence: 0.9, endProbability: 0.8 })
  }

  callerGoesOn(): void {
    if (!this.closed) this.#events.emit('tookBack')
  }

  loses(error: Error): void {
    if (!this.closed) this.#events.emit('lost', error)
  }

  get events(): Emitter<ConversationEvents> {
    return this.#events
  }

  /** Milliseconds heard, if something was cut. */
  #callerCuts(): number | undefined {
    const wasSpeaking = this.speaking
    const heardMs = this.#cut()
    for (const { eventId, action } of this.#waiting.splice(0)) this.#events.emit('discarded', { eventId, action: action.type })
    if (wasSpeaking) this.#events.emit('quiet')
    return heardMs
  }

  #cut(): number | undefined {
    if (!this.#playing) return undefined
    return this.#ended(false)
  }

  #next(): void {
    const sound = this.#waiting.shift()
    if (!sound || this.#playing) return
    const startedAt = this.#clock.now()
    this.#playing = { ...sound, startedAt }
    const { eventId, action } = sound
    if (sound.aside) sound.aside()
    else
      this.#events.emit('sounds', {
        eventId,
        startedAt,
        ...(action.type === 'speak' && action.text !== undefined && { text: action.text }),
      })
    this.#later(durationOf(sound.action), () => {
      this.#ended(true)
      if (this.#waiting.length > 0) this.#next()
      else this.#events.emit('quiet')
    })
  }

  #ended(completed: boolean): number {
    const { action, eventId, startedAt, aside } = this.#playing ?? fail()
    this.#cancel()
    this.#playing = undefined
    const heardMs = this.#clock.now() - startedAt
    this.sounded.push({ from: startedAt, to: this.#clock.now() })
    const text = action.type === 'speak' ? action.text : undefined
    if (aside) return heardMs
    this.#events.emit('spoke', {
      eventId,
      ...(text !== undefined && { text }),
      ...(action.type === 'speak' && action.stream_id !== undefined && { streamId: action.stream_id }),
      ...(action.type === 'speak' && action.protect && { protect: true }),
      startedAt,
      durationMs: heardMs,
      completed,
      heardMs,
      ...(text !== undefined && { heardText: text.slice(0, Math.round(heardMs / letterMs)) }),
      firstSoundMs: 0,
    })
    return heardMs
  }

  #later(ms: number, task: () => void): void {
    this.#cancel()
    this.#cancel = this.#clock.after(ms, () => this.closed || task())
  }

  #do(what: string): void {
    this.log.push(what)
    this.#outside.step(`conversation.${what}`)
  }
}

const isProtected = (sound: Sound | undefined): boolean => sound?.action.type === 'speak' && sound.action.protect === true

const durationOf = (action: Sound['action']): number => (action.type === 'speak' ? (action.text ?? '').length * letterMs : audioMs)

const fail = (): never => {
  throw new Error('nothing plays')
}
