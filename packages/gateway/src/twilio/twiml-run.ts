import type { Session } from '@offhook/contract/assistant/session.ts'
import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { EventOf } from '@offhook/sdk/answering.ts'
import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import { GatewayFailure, type TranslatorParts } from '../gateway.ts'
import { Gathering, type Gathered } from '../gathering.ts'
import { sendableDigits, soundAt } from '../relay/relay-messages.ts'
import { Speeches } from '../speeches.ts'
import { RelayInCall } from './relay-in-call.ts'
import type { TwimlServer, TwimlRequest } from './twiml-server.ts'
import { isPrompt, type Gather, type Prompt, type Verb } from './twiml.ts'

export interface TwimlRunDeps extends TranslatorParts {
  server: TwimlServer
  session: Session
  turn: number
}

/** What comes after a verb: the next one, another document, or nothing. */
type Next = 'next' | 'over' | Verb[]

type BargeIn = NonNullable<ActionOf<'speak'>['barge_in']>

/** Documents in a row in which the caller neither hears nor is asked anything: a circle. */
const maxHasty = 20

const causes: Readonly<Record<string, string>> = { busy: 'busy', rejected: 'busy', declined: 'busy', no_answer: 'no-answer' }

/** Does what documents of TwiML say, verb by verb. */
export class TwimlRun {
  readonly #deps: TwimlRunDeps
  readonly #speeches: Speeches
  #gathering: Gathering | undefined
  #relay: RelayInCall | undefined
  #transferFailed: ((event: EventOf<'transfer_failed'>) => void) | undefined
  #turn: number
  #hasty = 0
  #cancelPause: () => void = () => {}
  #closed = false

  constructor(deps: TwimlRunDeps) {
    this.#deps = deps
    this.#turn = deps.turn
    this.#speeches = new Speeches(deps.service)
  }

  /** Resolves when there is nothing more to do; rejects with GatewayFailure when nobody knows what. */
  async conduct(first: Verb[]): Promise<void> {
    for (let verbs: Verb[] | undefined = first; verbs && !this.#closed;) verbs = await this.#document(verbs)
  }

  /** Gives whether the event was meant for what is going on. */
  take(event: LiveEvent): boolean {
    this.#turn = event.turn ?? this.#turn
    if (this.#relay) {
      this.#relay.take(event)
      return true
    }
    const gathered = this.#gathering?.take(event) ?? false
    this.#speeches.take(event)
    if (event.type !== 'transfer_failed' || !this.#transferFailed) return gathered
    this.#transferFailed(event)
    return true
  }

  /** The caller is gone. */
  async end(): Promise<void> {
    await this.#relay?.hungUp()
    this.close()
  }

  close(): void {
    this.#closed = true
    this.#cancelPause()
    this.#gathering?.close()
    this.#relay?.close()
  }

  async #document(verbs: Verb[]): Promise<Verb[] | undefined> {
    for (const verb of verbs) {
      const next = await this.#perform(verb)
      if (next === 'over' || this.#closed) return undefined
      if (next !== 'next') return next
    }
    return this.#hangUp()
  }

  /** As Twilio does when a document has come to its end. */
  #hangUp(): undefined {
    this.#deps.service.act({ type: 'hangup' })
  }

  async #perform(verb: Verb): Promise<Next> {
    if (!isPrompt(verb)) return this.#act(verb)
    await this.#prompt(verb, { strategy: 'none' })
    await this.#silence()
    return 'next'
  }

  async #act(verb: Exclude<Verb, Prompt>): Promise<Next> {
    switch (verb.verb) {
      case 'gather':
        return this.#gather(verb)
      case 'dial':
        return this.#dial(verb)
      case 'relay':
        return this.#connectRelay(verb)
      case 'redirect':
        return this.#ask({ url: verb.url, method: verb.method })
      case 'hangup':
        this.#hangUp()
        return 'over'
      case 'unknown':
        this.#deps.service.problem(verb.problem)
    }
    return 'next'
  }

  async #ask(input: TwimlRequest): Promise<Verb[]> {
    if (++this.#hasty > maxHasty) throw new GatewayFailure({ opened: true, final: true, message: 'The TwiML leads in a circle' })
    return this.#deps.server.ask(input)
  }

  /** Resolves when it is being said; a pause also comes to its end. */
  async #prompt(prompt: Prompt, bargeIn: BargeIn | undefined): Promise<void> {
    const { service, ways } = this.#deps
    this.#hasty = 0
    const rule = bargeIn && { barge_in: bargeIn }
    if (prompt.verb === 'keys') return service.act({ type: 'send_dtmf', digits: sendableDigits(prompt.digits) })
    if (prompt.verb === 'play') return this.#speeches.say({ ssml: soundAt(prompt.url, prompt.loop), ...rule })
    if (prompt.verb === 'pause') {
      await this.#silence()
      await new Promise<void>((over) => (this.#cancelPause = ways.clock.after(prompt.seconds * 1000, over)))
      return
    }
    const { text, ssml, language, loop } = prompt
    const words = { ...(text !== undefined && { text }), ...(ssml !== undefined && { ssml }) }
    if (text === '') return
    for (let times = 0; times < loop; times++)
      this.#speeches.say({ ...words, ...(language !== undefined && { tts: { language } }), ...rule })
  }

  #silence(): Promise<void> {
    return new Promise((resolve) => this.#speeches.whenSilent(resolve))
  }

  async #gather(gather: Gather): Promise<Next> {
    const { service } = this.#deps
    if (gather.speech && (gather.language !== undefined || gather.hints.length > 0)) {
      const languages = gather.language !== undefined && { languages: [gather.language] }
      service.act({ type: 'configure_transcription', ...languages, ...(gather.hints.length > 0 && { custom_vocabulary: gather.hints }) })
    }
    const gathered = await this.#collect(gather)
    this.#gathering = undefined
    const { action = '', method } = gather
    if (gathered) return this.#ask({ url: action, method, fields: fieldsOf(gathered) })
    return gather.actionOnEmptyResult ? this.#ask({ url: action, method, fields: { Digits: '', msg: 'Gather End' } }) : 'next'
  }

  #collect(gather: Gather): Promise<Gathered> {
    this.#hasty = 0
    const silent = gather.bargeIn && gather.speech ? undefined : ({ strategy: 'none' } as const)
    return new Promise((resolve) => {
      const gathering = new Gathering({ wish: gather, clock: this.#deps.ways.clock, onKey: () => this.#speeches.stop(), onDone: resolve })
      this.#gathering = gathering
      void this.#sayAll(gather.prompts, silent).then(() => gathering.listen())
    })
  }

  async #sayAll(prompts: readonly Prompt[], bargeIn: BargeIn | undefined): Promise<void> {
    for (const prompt of prompts) await this.#prompt(prompt, bargeIn)
    await this.#silence()
  }

  async #dial({ target, callerId, action, method }: Extract<Verb, { verb: 'dial' }>): Promise<Next> {
    const failed = await new Promise<EventOf<'transfer_failed'>>((resolve) => {
      this.#transferFailed = resolve
      this.#deps.service.act({ type: 'transfer', target, ...(callerId !== undefined && { caller_id_number: callerId }) })
    })
    this.#transferFailed = undefined
    this.#hasty = 0
    if (action === undefined) return 'next'
    return this.#ask({ url: action, method, fields: { DialCallStatus: causes[failed.cause] ?? 'failed' } })
  }

  async #connectRelay({ relay, action, method }: Extract<Verb, { verb: 'relay' }>): Promise<Next> {
    this.#hasty = 0
    const ended = (fields: Record<string, string>): TwimlRequest => ({ url: action ?? '', method, fields })
    this.#relay = new RelayInCall({
      ...this.#deps,
      relay,
      turn: this.#turn,
      onHungUp: async (fields) => {
        if (action !== undefined) await this.#deps.server.ask({ ...ended(fields), status: 'completed' }).catch(() => [])
      },
    })
    const { fields, failure } = await this.#relay.over
    this.#relay = undefined
    if (action !== undefined) return this.#ask(ended(fields))
    if (failure) throw failure
    return 'next'
  }
}

const fieldsOf = (gathered: NonNullable<Gathered>): Record<string, string> => {
  const end = { msg: 'Gather End' }
  if ('digits' in gathered) return { Digits: gathered.digits, FinishedOnKey: gathered.endedBy, ...end }
  return { SpeechResult: gathered.speech, Confidence: String(gathered.confidence), ...end }
}
