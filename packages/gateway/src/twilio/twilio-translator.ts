import type { LiveEvent } from '@offhook/sdk/live/handlers.ts'
import {
  GatewayFailure,
  type Translator,
  type TranslatorParts,
  type ForeignReply,
  type GatewaySettings,
  type GatewayWays,
  type ServiceSide,
} from '../gateway.ts'
import type { Session } from '@offhook/contract/assistant/session.ts'
import { signatureHeader, twilioCall } from '../twilio-names.ts'
import { readTwiml, type Method, type Verb, XmlRefused, isPrompt, type Gather, type Prompt } from './twiml.ts'
import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { EventOf } from '@offhook/sdk/answering.ts'
import { Gathering, type Gathered } from '../gathering.ts'
import { sendableDigits, soundAt } from '../relay/relay-messages.ts'
import { Speeches } from '../speeches.ts'
import { RelayInCall } from './relay-in-call.ts'

/** Events to which the caller expects an answer. */
const awaited: readonly LiveEvent['type'][] = ['user_speak', 'user_speech_unclear', 'transfer_failed']

/** A flow whose webhook answers with TwiML. */
export class TwilioTranslator implements Translator {
  readonly #deps: TranslatorParts
  #run: TwimlRun | undefined

  constructor(deps: TranslatorParts) {
    this.#deps = deps
  }

  /** Any first event requests the first document: another process may have had the call before. */
  async take(event: LiveEvent): Promise<void> {
    if (event.type === 'session_resume') return
    if (event.type === 'session_end') return this.#run?.end()
    if (!this.#run) return this.#begin(event)
    const meant = this.#run.take(event)
    if (!meant && awaited.includes(event.type)) this.#deps.service.act({ type: 'done' })
  }

  close(): void {
    this.#run?.close()
  }

  async #begin({ session, turn = 0 }: LiveEvent): Promise<void> {
    const server = new TwimlServer({ ...this.#deps, session })
    const status = session.direction === 'outbound' ? 'in-progress' : 'ringing'
    const verbs = await server.ask({ url: '', method: 'POST', status })
    const run = new TwimlRun({ ...this.#deps, server, session, turn })
    this.#run = run
    run.conduct(verbs).catch((error: unknown) => this.#failed(error))
    this.#deps.service.act({ type: 'done' })
  }

  /** The call has started and continues with the flow's handling of a lost endpoint. */
  #failed(error: unknown): void {
    const message = error instanceof GatewayFailure ? error.message : 'The gateway failed because of a fault in the service'
    this.#run?.close()
    this.#deps.service.lost({ message, final: true })
  }
}

const deadlineMs = 15_000

interface TwimlServerDeps {
  settings: GatewaySettings
  ways: Pick<GatewayWays, 'request'>
  service: Pick<ServiceSide, 'problem'>
  session: Session
}

interface TwimlRequest {
  /** As written in the document: may be relative, or empty for the current address. */
  url: string
  method: Method
  fields?: Readonly<Record<string, string>>
  status?: 'ringing' | 'in-progress' | 'completed'
}

/** Requests the next document from the customer's server. */
class TwimlServer {
  readonly #deps: TwimlServerDeps
  /** Address of the current document, base of relative addresses. */
  #url: string

  constructor(deps: TwimlServerDeps) {
    this.#deps = deps
    this.#url = deps.settings.url
  }

  /** Rejects with GatewayFailure if there is no document. */
  async ask(input: TwimlRequest): Promise<Verb[]> {
    const url = this.#resolved(input.url)
    this.#url = url
    return this.#read(await this.#request(url, input))
  }

  #resolved(url: string): string {
    const resolved = url === '' ? this.#url : URL.parse(url, this.#url)?.href
    if (resolved !== undefined) return resolved
    throw new GatewayFailure({ opened: true, final: true, message: 'An address in the TwiML cannot be read' })
  }

  async #request(url: string, { method, fields = {}, status = 'in-progress' }: TwimlRequest): Promise<ForeignReply> {
    const { settings, ways, session } = this.#deps
    const form = { ...callFields(session, status), ...fields }
    const asked = method === 'GET' ? withQuery(url, form) : url
    const headers = {
      ...signatureHeader(settings.secret, asked, method === 'GET' ? {} : form),
      ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }),
    }
    const request = { method, url: asked, headers, deadlineMs, ...(method === 'POST' && { body: new URLSearchParams(form).toString() }) }
    try {
      return await ways.request(request)
    } catch (error) {
      if (!(error instanceof GatewayFailure) || error.end.refused) throw error
      return ways.request(request) // retries a failed connection, as Twilio does
    }
  }

  #read({ status, headers, body }: ForeignReply): Verb[] {
    if (status !== 200 && status !== 201) {
      if (status === 204) return []
      throw new GatewayFailure({ opened: true, status, message: `The endpoint answered ${status} instead of TwiML` })
    }
    const text = body.toString()
    if (text.trim() === '') return []
    if ((headers['content-type'] ?? '').startsWith('text/plain')) return [{ verb: 'say', text, loop: 1 }]
    try {
      return readTwiml(text)
    } catch (error) {
      if (!(error instanceof XmlRefused)) throw error
      this.#deps.service.problem(`The TwiML cannot be read: ${error.message}`)
      throw new GatewayFailure({ opened: true, final: true, message: 'The TwiML cannot be read' })
    }
  }
}

const callFields = (session: Session, status: NonNullable<TwimlRequest['status']>): Record<string, string> => {
  const { accountSid, callSid, from, to, direction } = twilioCall(session)
  const numbers = { From: from, To: to, Caller: from, Called: to }
  return { AccountSid: accountSid, ApiVersion: '2010-04-01', CallSid: callSid, CallStatus: status, Direction: direction, ...numbers }
}

const withQuery = (url: string, form: Readonly<Record<string, string>>): string => {
  const asked = new URL(url)
  for (const [name, value] of Object.entries(form)) asked.searchParams.append(name, value)
  return asked.href
}

interface TwimlRunDeps extends TranslatorParts {
  server: TwimlServer
  session: Session
  turn: number
}

/** Continuation after a verb: the next one, another document, or the end. */
type Next = 'next' | 'over' | Verb[]

type BargeIn = NonNullable<ActionOf<'speak'>['barge_in']>

/** Consecutive documents without a prompt or input that count as a loop. */
const maxHasty = 20

const causes: Readonly<Record<string, string>> = { busy: 'busy', rejected: 'busy', declined: 'busy', no_answer: 'no-answer' }

/** Runs TwiML documents verb by verb. */
class TwimlRun {
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

  /** Resolves when no verbs are left; rejects with GatewayFailure if the next document is unavailable. */
  async conduct(first: Verb[]): Promise<void> {
    for (let verbs: Verb[] | undefined = first; verbs && !this.#closed;) verbs = await this.#document(verbs)
  }

  /** Returns whether the current verb consumed the event. */
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

  /** The caller hung up. */
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

  /** Twilio hangs up at the end of a document. */
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

  /** Resolves when the prompt has been queued; a pause when it has ended. */
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
