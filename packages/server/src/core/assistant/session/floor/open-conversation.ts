import type { Emitter, AnsweredBy, Conversation, ConversationEvents, ConversationDeps } from '../conversation.ts'
import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import { readCustomerWav } from '../speaking/speech-parts.ts'
import { FloorControl } from './floor-control.ts'
import { Hearing } from '../listening/hearing.ts'
import { EndpointSound, SoundTap } from '../speaking/endpoint-sound.ts'
import { endpointingAfter, endpointingExpecting, endpointingOf } from '../listening/turn-taking.ts'
import { AnsweringMachineDetection } from '../listening/answering-machine.ts'
import { Rehearsal, PreparedSpeeches } from '../speaking/rehearsal.ts'
import { SpeechFactory } from '../speaking/speech-factory.ts'

type SttRequest = { provider?: string | undefined; languages?: readonly string[] | undefined; vocabulary?: readonly string[] | undefined }

/** Starts listening; does not speak by itself. */
export const openConversation = (deps: ConversationDeps, events: Emitter<ConversationEvents>): Conversation =>
  new LiveConversation(deps, events)

class LiveConversation implements Conversation {
  readonly #deps: ConversationDeps
  readonly #speeches: SpeechFactory
  readonly #rehearsal: Rehearsal
  readonly #floor: FloorControl
  readonly #hearing: Hearing
  readonly #stopObserving: () => void
  #stt: SttRequest
  /** Event whose reply chose the recogniser. */
  #configuredBy: string | undefined
  #machine: AnsweringMachineDetection | undefined
  readonly #prepared = new PreparedSpeeches()
  readonly sound: EndpointSound | undefined
  readonly #tap: SoundTap | undefined
  #hasBackground = false
  #closed = false

  constructor(deps: ConversationDeps, events: Emitter<ConversationEvents>) {
    const { clock, flow, leg } = deps
    const problem = (eventId: string | undefined, message: string): void => this.#later(() => events.emit('problem', { eventId, message }))
    this.#deps = deps
    this.#stopObserving = this.#readTyped(leg)
    this.#speeches = new SpeechFactory(deps, problem)
    this.#rehearsal = new Rehearsal(deps, (language) => this.#speeches.speaks(language))
    let asked: string | undefined
    events.listen({ spoke: ({ heardText, text }) => (asked = heardText ?? text) })
    this.#hearing = new Hearing({ ...deps, asked: () => asked }, endpointingOf(flow.settings), {
      began: (goesOn) => this.#floor.began(goesOn),
      understood: (heard, agoMs) => {
        this.#machine?.understood(heard.text)
        this.#floor.understood(heard, agoMs)
        events.emit('understood', heard.text, this.#floor.heeds)
      },
      ended: (turn) => {
        deps.language.heard(turn)
        if (deps.language.settled !== undefined) this.#hearing.keepTo(deps.language.settled)
        this.#floor.ended(turn)
        events.emit('tookBack') // unless it was said
      },
      previewed: (preview) => {
        if (this.#floor.listens) events.emit('previewed', preview)
      },
      tookBack: () => events.emit('tookBack'),
      noticed: (at) => this.#floor.noticed(at),
      voice: (speaks, at, sample) => {
        this.#machine?.voice(speaks, at)
        this.#floor.voice(speaks, at)
        events.emit('voice', speaks, at, sample)
      },
      beep: () => {
        if (this.#machine?.beep()) events.emit('beep') // only if detection was requested
      },
      problem: (message) => problem(this.#configuredBy, message),
      lost: (error) => this.#later(() => events.emit('lost', error)),
    })
    const byVoice = deps.media === 'audio'
    this.#floor = new FloorControl({
      clock,
      audio: leg.audio,
      hearing: this.#hearing,
      language: deps.language,
      byVoice,
      callsOut: deps.callsOut === true && deps.media === undefined,
      events,
      problem,
    })
    if (deps.media) {
      this.sound = this.#openSound(clock, events)
      this.#tap = new SoundTap(this.#hearing.track, (samples) => events.emit('heardSound', samples))
    }
    this.#stt = flow.settings.stt ?? {}
    this.#recognise()
  }

  speaks(language: string): boolean {
    return this.#speeches.speaks(language)
  }

  get speaking(): boolean {
    return this.#floor.speaking
  }

  get stalled(): boolean {
    return this.#floor.stalled
  }

  get protects(): boolean {
    return this.#floor.protects
  }

  get callerSpeaks(): boolean {
    return this.#hearing.callerSpeaks
  }

  get playsBackground(): boolean {
    return this.#hasBackground
  }

  isStreaming(streamId: string): boolean {
    return this.#speeches.isStreaming(streamId)
  }

  say(action: ActionOf<'speak'>, eventId: string): void {
    if (this.#closed) return
    this.#hearing.patience = endpointingAfter(this.#hearing.patience, action)
    this.sound?.end()
    const speech = this.#prepared.take(action, () => this.#speeches.speak(action, eventId))
    if (speech) this.#floor.add(speech)
    void this.#rehearsal.after(speech?.made, action)
  }

  sayAside(action: ActionOf<'speak'>, eventId: string, sounds: () => void): () => void {
    const speech = this.#closed ? undefined : this.#speeches.filler(action, eventId, sounds)
    if (!speech) return () => {}
    this.#floor.add(speech)
    return () => this.#floor.takeBack(speech)
  }

  play(action: ActionOf<'audio'>, eventId: string): void {
    if (this.#closed) return
    this.sound?.end()
    const speech = this.#prepared.take(action, () => this.#speeches.audio(action, eventId))
    if (speech) this.#floor.add(speech)
  }

  prepare(action: ActionOf<'speak'> | ActionOf<'audio'>, eventId: string): void {
    if (this.#closed) return
    this.#prepared.add(action, action.type === 'speak' ? this.#speeches.speak(action, eventId) : this.#speeches.audio(action, eventId))
  }

  dropPrepared(): void {
    this.#prepared.drop()
  }

  expect(input: Pick<ActionOf<'speak'>, 'expects' | 'expects_digits' | 'expects_options'>): void {
    this.#hearing.patience = endpointingExpecting(this.#hearing.patience, input)
  }

  interrupt(): void {
    if (!this.#closed) this.#floor.interrupt()
  }

  bargeIn(): void {
    if (this.#closed) return
    this.sound?.clear()
    this.#floor.bargeIn()
  }

  configure(action: ActionOf<'configure_transcription'>, eventId: string): void {
    if (this.#closed) return
    this.#hearing.patience = endpointingAfter(this.#hearing.patience, action)
    const { provider, languages, custom_vocabulary: vocabulary } = action
    if (provider === undefined && languages === undefined && vocabulary === undefined) return
    this.#configuredBy = eventId
    const own = this.#deps.flow.settings.stt ?? {}
    this.#stt = {
      provider: provider ?? this.#stt.provider,
      languages: languages ?? own.languages,
      vocabulary: vocabulary ?? this.#stt.vocabulary,
    }
    this.#deps.language.expect(this.#languages)
    this.#recognise()
  }

  background(action: ActionOf<'mix_audio'>, eventId: string): void {
    if (this.#closed) return
    try {
      const wav = action.stop ? undefined : readCustomerWav(action.audio ?? '').file
      this.#hasBackground = wav !== undefined
      this.#deps.leg.audio.background(wav && { wav }, action.volume ?? 0.5)
    } catch (error) {
      this.#speeches.refuse(error, eventId)
    }
  }

  detectMachine(): Promise<AnsweredBy> {
    if (this.#closed) return Promise.resolve('unknown')
    this.#machine = new AnsweringMachineDetection(this.#deps.clock)
    this.#hearing.follow('answering machine', !this.#machine.decided)
    void this.#machine.result.then(() => this.#hearing.follow('answering machine', false))
    return this.#machine.result
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#stopObserving()
    this.#tap?.close()
    this.#machine?.close()
    this.#rehearsal.close()
    if (this.#hasBackground) this.#deps.leg.audio.background(undefined, 0)
    await Promise.all([this.#floor.close(), this.#prepared.close(), this.#hearing.close()])
  }

  #openSound(clock: ConversationDeps['clock'], events: Emitter<ConversationEvents>): EndpointSound {
    return new EndpointSound({
      clock,
      play: (eventId, order, made) => {
        const speech = this.#speeches.live(eventId, order)
        made(speech)
        this.#floor.add(speech)
      },
      drop: () => this.#floor.dropSound(),
      played: (name, playedMs) => this.#later(() => events.emit('soundPlayed', name, playedMs)),
      cleared: (playedMs, reason) => this.#later(() => events.emit('soundCleared', playedMs, reason)),
    })
  }

  /** Hearing reports a leg that is gone. */
  #readTyped(leg: ConversationDeps['leg']): () => void {
    try {
      return leg.observe({ typed: (text) => this.#typed(text) })
    } catch {
      return () => {}
    }
  }

  #typed(text: string): void {
    const words = text.trim()
    if (words !== '' && !this.#closed) this.#floor.typed(words)
  }

  get #languages(): readonly string[] {
    return this.#stt.languages ?? [this.#deps.language.own]
  }

  #recognise(): void {
    if (this.#deps.media === 'audio') return
    const { provider, vocabulary } = this.#stt
    const own = this.#deps.flow.settings.stt?.provider
    const wanted = [provider, own].filter((name) => name !== undefined)
    this.#hearing.recogniseWith(wanted, { languages: this.#languages, vocabulary: vocabulary ?? [] })
  }

  /** Nothing is emitted while one of our methods runs. */
  #later(notify: () => void): void {
    queueMicrotask(() => {
      if (!this.#closed) notify()
    })
  }
}
