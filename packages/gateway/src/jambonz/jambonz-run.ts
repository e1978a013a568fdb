import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { EventOf } from '@offhook/sdk/answering.ts'
import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import type { TranslatorParts } from '../gateway.ts'
import { Gathering, type Gathered } from '../gathering.ts'
import { sendableDigits } from '../relay/relay-messages.ts'
import { Speeches } from '../speeches.ts'
import type { JambonzLine } from './jambonz-line.ts'
import type { Background, GatherVerb, JambonzVerb, Prompt } from './jambonz-verbs.ts'

export interface JambonzRunDeps extends Pick<TranslatorParts, 'ways' | 'service'> {
  line: Pick<JambonzLine, 'ask'>
}

type BargeIn = NonNullable<ActionOf<'speak'>['barge_in']>

const causes: Readonly<Record<string, string>> = { busy: 'busy', rejected: 'busy', declined: 'busy', no_answer: 'no-answer' }

/** Does what an application wants, verb by verb. When nothing is left it waits for commands. */
export class JambonzRun {
  readonly #deps: JambonzRunDeps
  readonly #speeches: Speeches
  #verbs: JambonzVerb[] = []
  /** Whatever is awaited belongs to the verbs of this number, and is of no use once there are others. */
  #round = 0
  #running = false
  #gathering: Gathering | undefined
  #background: Background | undefined
  #transferFailed: ((event: EventOf<'transfer_failed'>) => void) | undefined
  #language: string | undefined
  #cancelPause: () => void = () => {}
  #closed = false

  constructor(deps: JambonzRunDeps) {
    this.#deps = deps
    this.#speeches = new Speeches(deps.service)
  }

  /** Instead of what is being done. */
  replace(verbs: JambonzVerb[]): void {
    this.#round++
    this.#stop()
    this.#speeches.stop()
    this.#verbs = verbs
    void this.#work(this.#round)
  }

  append(verbs: JambonzVerb[]): void {
    this.#verbs.push(...verbs)
    if (!this.#running) void this.#work(this.#round)
  }

  /** Gives whether the event was meant for what is going on. */
  take(event: LiveEvent): boolean {
    const gathered = this.#gathering?.take(event) ?? false
    this.#speeches.take(event)
    if (gathered) return true
    if (event.type === 'transfer_failed' && this.#transferFailed) {
      this.#transferFailed(event)
      return true
    }
    return this.#bargedIn(event)
  }

  close(): void {
    this.#closed = true
    this.#round++
    this.#stop()
  }

  #stop(): void {
    this.#cancelPause()
    this.#gathering?.close()
    this.#gathering = undefined
    this.#transferFailed = undefined
  }

  /** What the caller says or presses while nobody gathers, if the application wants to know. */
  #bargedIn(event: LiveEvent): boolean {
    if (!this.#background) return false
    const { hook, speech, keys } = this.#background
    if (event.type === 'user_speak' && speech)
      void this.#follow(hook, gatheredData({ speech: event.text, confidence: event.confidence ?? 0.9 }))
    else if (event.type === 'dtmf_received' && keys) void this.#follow(hook, gatheredData({ digits: event.digit, endedBy: '' }))
    else return false
    return true
  }

  async #work(round: number): Promise<void> {
    this.#running = true
    while (this.#isCurrent(round)) {
      const verb = this.#verbs.shift()
      if (!verb) break
      await this.#perform(verb, round)
    }
    if (this.#isCurrent(round)) this.#running = false
  }

  #isCurrent(round: number): boolean {
    return !this.#closed && round === this.#round
  }

  async #perform(verb: JambonzVerb, round: number): Promise<void> {
    const { service } = this.#deps
    if (verb.verb === 'say' || verb.verb === 'pause')
      return this.#sayAll([verb], this.#background?.speech ? undefined : { strategy: 'none' })
    if (verb.verb === 'gather') return this.#gather(verb, round)
    if (verb.verb === 'dial') return this.#dial(verb)
    if (verb.verb === 'redirect') return this.#follow(verb.hook, {})
    if (verb.verb === 'config') return this.#configure(verb)
    if (verb.verb === 'hangup') service.act({ type: 'hangup' })
    if (verb.verb === 'keys') service.act({ type: 'send_dtmf', digits: sendableDigits(verb.digits) })
    if (verb.verb === 'tag') service.act({ type: 'note', name: 'tag', data: verb.data })
    if (verb.verb === 'unknown') service.problem(verb.problem)
  }

  /** What the hook answers takes the place of what was to come; with nothing in the answer it goes on. */
  async #follow(hook: string | undefined, data: object): Promise<void> {
    if (hook === undefined) return
    const round = this.#round
    const verbs = await this.#deps.line.ask('verb:hook', { hook, data })
    if (verbs && this.#isCurrent(round)) this.replace(verbs)
  }

  #configure({ spoken, heard, background }: Extract<JambonzVerb, { verb: 'config' }>): void {
    this.#language = spoken ?? this.#language
    if (background) this.#background = background === 'off' ? undefined : background
    if (heard !== undefined) this.#deps.service.act({ type: 'configure_transcription', languages: [heard] })
  }

  async #sayAll(prompts: readonly Prompt[], bargeIn: BargeIn | undefined): Promise<void> {
    for (const prompt of prompts) {
      if (prompt.verb === 'pause') await this.#pause(prompt.ms)
      else if (!prompt.stream) this.#say(prompt, bargeIn)
    }
    await new Promise<void>((resolve) => this.#speeches.whenSilent(resolve))
  }

  #say({ text, ssml, language = this.#language }: Extract<Prompt, { verb: 'say' }>, bargeIn: BargeIn | undefined): void {
    if (text === '') return
    const words = { ...(text !== undefined && { text }), ...(ssml !== undefined && { ssml }) }
    this.#speeches.say({ ...words, ...(language !== undefined && { tts: { language } }), ...(bargeIn && { barge_in: bargeIn }) })
  }

  async #pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => this.#speeches.whenSilent(resolve))
    await new Promise<void>((over) => (this.#cancelPause = this.#deps.ways.clock.after(ms, over)))
  }

  async #gather(gather: GatherVerb, round: number): Promise<void> {
    const { language, hints, speech } = gather
    if (speech && (language !== undefined || hints.length > 0)) {
      const words = { ...(language !== undefined && { languages: [language] }), ...(hints.length > 0 && { custom_vocabulary: hints }) }
      this.#deps.service.act({ type: 'configure_transcription', ...words })
    }
    const gathered = await this.#collect(gather)
    if (!this.#isCurrent(round)) return
    this.#gathering = undefined
    await this.#follow(gather.hook, gatheredData(gathered))
  }

  #collect(gather: GatherVerb): Promise<Gathered> {
    const rule = gather.bargeIn && gather.speech ? undefined : ({ strategy: 'none' } as const)
    return new Promise((resolve) => {
      const gathering = new Gathering({ wish: gather, clock: this.#deps.ways.clock, onKey: () => this.#speeches.stop(), onDone: resolve })
      this.#gathering = gathering
      void this.#sayAll(gather.prompts, rule).then(() => gathering.listen())
    })
  }

  async #dial({ target, callerId, hook }: Extract<JambonzVerb, { verb: 'dial' }>): Promise<void> {
    const { cause } = await new Promise<EventOf<'transfer_failed'>>((resolve) => {
      this.#transferFailed = resolve
      this.#deps.service.act({ type: 'transfer', target, ...(callerId !== undefined && { caller_id_number: callerId }) })
    })
    this.#transferFailed = undefined
    await this.#follow(hook, { dial_call_status: causes[cause] ?? 'failed' })
  }
}

/** As hooks are told of it. */
const gatheredData = (gathered: Gathered): object => {
  if (!gathered) return { reason: 'timeout' }
  if ('digits' in gathered) return { reason: 'dtmfDetected', digits: gathered.digits }
  const { speech: transcript, confidence } = gathered
  return { reason: 'speechDetected', speech: { channel_tag: 1, is_final: true, alternatives: [{ transcript, confidence }] } }
}
