import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import type { ForeignEnd, Translator, TranslatorParts, ServiceSide } from '../gateway.ts'
import {
  JambonzLine,
  type JambonzCommand,
  readVerbs,
  type Background,
  type GatherVerb,
  type JambonzVerb,
  type Prompt,
} from './jambonz-line.ts'
import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { EventOf } from '@offhook/sdk/answering.ts'
import { Gathering, type Gathered } from '../gathering.ts'
import { sendableDigits } from '../relay/relay-messages.ts'
import { Speeches, SpokenWords } from '../speeches.ts'

/** Events to which the caller expects an answer. */
const awaited: readonly LiveEvent['type'][] = ['session_start', 'user_speak', 'user_speech_unclear', 'transfer_failed']

/** A flow whose WebSocket address is a jambonz application. */
export class JambonzTranslator implements Translator {
  readonly #deps: TranslatorParts
  #resumed = false
  #line: JambonzLine | undefined
  #run: JambonzRun | undefined
  #tokens: TokenStream | undefined
  #ended = false

  constructor(deps: TranslatorParts) {
    this.#deps = deps
  }

  /** Any first event opens the connection: another process may have had the call before. */
  async take(event: LiveEvent): Promise<void> {
    if (event.type === 'session_resume') return void (this.#resumed = event.last_sequence > 0)
    if (event.type === 'session_end') return this.#end()
    if (!this.#run) await this.#open(event)
    this.#tokens?.take(event)
    const meant = this.#run?.take(event) ?? false
    if (!meant && awaited.includes(event.type)) this.#deps.service.act({ type: 'done' })
  }

  close(): void {
    this.#ended = true
    this.#run?.close()
    this.#line?.close()
  }

  async #open({ session, turn = 0 }: LiveEvent): Promise<void> {
    const line = new JambonzLine({
      ...this.#deps,
      session,
      onCommand: (command) => this.#command(command),
      onClosed: (end) => this.#closed(end),
    })
    this.#line = line
    await line.open()
    this.#tokens = new TokenStream(this.#deps.service, line, turn)
    const run = new JambonzRun({ ...this.#deps, line })
    this.#run = run
    const verbs = await line.ask(this.#resumed ? 'session:reconnect' : 'session:new')
    run.replace(verbs ?? [])
    line.status('in-progress')
  }

  #end(): void {
    this.#line?.status('completed')
    this.close()
  }

  #command({ command, data, queued }: JambonzCommand): void {
    if (command === 'redirect') return queued ? this.#run?.append(readVerbs(data)) : this.#run?.replace(readVerbs(parentOf(data)))
    if (this.#tokens?.command(command, data)) return
    this.#deps.service.problem(`The command ${command.slice(0, 40)} is not supported`)
  }

  /** Reopens a broken connection; a proper close by the application hangs up. */
  #closed(end: ForeignEnd): void {
    if (this.#ended) return
    this.#run?.close()
    if (end.left) this.#deps.service.act({ type: 'hangup' })
    else this.#deps.service.lost(end)
  }
}

/** Commands can address both legs of a call; we have one. */
const parentOf = (data: unknown): unknown => (typeof data === 'object' && data !== null && 'parent_call' in data ? data.parent_call : data)

interface JambonzRunDeps extends Pick<TranslatorParts, 'ways' | 'service'> {
  line: Pick<JambonzLine, 'ask'>
}

type BargeIn = NonNullable<ActionOf<'speak'>['barge_in']>

const causes: Readonly<Record<string, string>> = { busy: 'busy', rejected: 'busy', declined: 'busy', no_answer: 'no-answer' }

/** Runs an application's verbs one by one. When none is left it waits for commands. */
class JambonzRun {
  readonly #deps: JambonzRunDeps
  readonly #speeches: Speeches
  #verbs: JambonzVerb[] = []
  /** Number of the current list of verbs; pending results of an earlier list are ignored. */
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

  /** Replaces the current verbs. */
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

  /** Returns whether the current verb consumed the event. */
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

  /** Reports speech or keys outside of a gather, if the application enabled barge-in. */
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

  /** The hook's answer replaces the remaining verbs; an empty answer continues. */
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

/** Result of a gather as hook data. */
const gatheredData = (gathered: Gathered): object => {
  if (!gathered) return { reason: 'timeout' }
  if ('digits' in gathered) return { reason: 'dtmfDetected', digits: gathered.digits }
  const { speech: transcript, confidence } = gathered
  return { reason: 'speechDetected', speech: { channel_tag: 1, is_final: true, alternatives: [{ transcript, confidence }] } }
}

/** Text that an application streams token by token. */
class TokenStream {
  readonly #service: Pick<ServiceSide, 'act'>
  readonly #line: Pick<JambonzLine, 'notify'>
  readonly #words: SpokenWords
  #turn: number
  /** Only applications that stream tokens are notified of an interruption. */
  #used = false

  constructor(service: Pick<ServiceSide, 'act'>, line: Pick<JambonzLine, 'notify'>, turn: number) {
    this.#service = service
    this.#line = line
    this.#words = new SpokenWords(service)
    this.#turn = turn
  }

  take(event: LiveEvent): void {
    this.#turn = event.turn ?? this.#turn
    if (this.#used && event.type === 'assistant_speak' && event.heard_text !== undefined)
      this.#line.notify('tts:streaming-event', { event_type: 'user_interruption' })
    if (event.type === 'user_speak') this.#words.end()
  }

  /** Returns whether it handled the command. */
  command(command: string, data: unknown): boolean {
    if (command === 'tts:tokens') this.#say(data as { id?: unknown; tokens?: unknown } | null)
    else if (command === 'tts:flush') this.#words.end()
    else if (command === 'tts:clear') this.#clear()
    else return false
    return true
  }

  #say(data: { id?: unknown; tokens?: unknown } | null): void {
    this.#used = true
    if (typeof data?.tokens === 'string') this.#words.put(data.tokens, this.#turn)
    this.#line.notify('tts:tokens-result', { id: data?.id, status: 'ok' })
  }

  #clear(): void {
    this.#words.end()
    this.#service.act({ type: 'barge_in' })
  }
}
