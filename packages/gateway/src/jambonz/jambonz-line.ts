import { randomUUID } from 'node:crypto'
import type { Session } from '@offhook/contract/assistant/session.ts'
import {
  GatewayFailure,
  type ForeignEnd,
  type ForeignSocket,
  type GatewaySettings,
  type GatewayWays,
  type ServiceSide,
  readJson,
  openForeign,
} from '../gateway.ts'
import { e164 } from '../twilio-names.ts'
import type { GatherRequest } from '../gathering.ts'
import { soundAt } from '../relay/relay-messages.ts'

const subprotocol = 'ws.jambonz.org'
/** Milliseconds that jambonz waits for an ack. */
const ackMs = 5_000

/** An unsolicited command of the server. */
export interface JambonzCommand {
  command: string
  data: unknown
  /** Runs after the current verbs instead of replacing them. */
  queued: boolean
}

interface JambonzLineDeps {
  settings: GatewaySettings
  ways: GatewayWays
  service: Pick<ServiceSide, 'problem'>
  session: Session
  onCommand: (command: JambonzCommand) => void
  onClosed: (end: ForeignEnd) => void
}

/** The WebSocket of a jambonz application: messages acknowledged by id. */
export class JambonzLine {
  readonly #deps: JambonzLineDeps
  readonly #waiting = new Map<string, (data: unknown) => void>()
  readonly #timers = new Set<() => void>()
  #socket: ForeignSocket | undefined

  constructor(deps: JambonzLineDeps) {
    this.#deps = deps
  }

  async open(): Promise<void> {
    const { ways, settings, onClosed } = this.#deps
    const input = { url: settings.url, subprotocol }
    await openForeign(ways, input, { opened: (socket) => (this.#socket = socket), said: (text) => this.#said(text), closed: onClosed })
  }

  /** Resolves with the verbs to run; undefined: continue. Rejects if the first message of a call is not acknowledged. */
  async ask(
    type: 'session:new' | 'session:reconnect' | 'verb:hook',
    fields: { hook?: string; data?: object } = {},
  ): Promise<JambonzVerb[] | undefined> {
    const { hook, data = {} } = fields
    const msgid = randomUUID()
    const answered = new Promise<unknown>((resolve) => this.#waiting.set(msgid, resolve))
    const { id: call_sid } = this.#deps.session
    this.#notify({ type, msgid, call_sid, ...(hook !== undefined && { hook }), data: { ...callInfo(this.#deps), ...data } })
    const cancel = this.#deps.ways.clock.after(ackMs, () => this.#answer(msgid, unanswered))
    this.#timers.add(cancel)
    const answer = await answered
    cancel()
    this.#timers.delete(cancel)
    if (answer === unanswered && type !== 'verb:hook')
      throw new GatewayFailure({ opened: true, message: `The endpoint did not acknowledge ${type}` })
    return answer === unanswered || answer === undefined ? undefined : readVerbs(answer)
  }

  notify(type: string, data: object): void {
    this.#notify({ type, msgid: randomUUID(), call_sid: this.#deps.session.id, data })
  }

  status(call_status: 'in-progress' | 'completed'): void {
    this.notify('call:status', { ...callInfo(this.#deps), call_status })
  }

  close(): void {
    for (const cancel of this.#timers) cancel()
    this.#socket?.close()
  }

  #notify(message: object): void {
    this.#socket?.send(JSON.stringify(message))
  }

  #said(text: string): void {
    const message = read(text)
    const { type, msgid, command, data, queueCommand } = message ?? {}
    if (type === 'ack' && typeof msgid === 'string') return this.#answer(msgid, data)
    if (type === 'command' && typeof command === 'string') return this.#deps.onCommand({ command, data, queued: queueCommand === true })
    this.#deps.service.problem('The message is neither an ack nor a command')
  }

  #answer(msgid: string, data: unknown): void {
    this.#waiting.get(msgid)?.(data)
    this.#waiting.delete(msgid)
  }
}

const unanswered = Symbol('unanswered')

const read = (text: string): Record<string, unknown> | undefined => {
  const message = readJson(text)
  return typeof message === 'object' && message !== null ? (message as Record<string, unknown>) : undefined
}

const callInfo = ({ session, settings }: JambonzLineDeps): object => ({
  call_sid: session.id,
  call_id: session.id,
  direction: session.direction ?? 'inbound',
  from: e164(session.from_phone_number),
  to: e164(session.to_phone_number ?? session.phone_number),
  caller_name: '',
  account_sid: session.account_id,
  call_status: 'in-progress',
  sip_status: 200,
  sip_reason: 'OK',
  sip: { headers: {} },
  defaults: {
    synthesizer: { vendor: 'default', language: settings.language, voice: 'default' },
    recognizer: { vendor: 'default', language: settings.language },
  },
})

type Loose = Record<string, unknown>

/** Output for the caller. */
export type Prompt = { verb: 'say'; text?: string; ssml?: string; language?: string; stream: boolean } | { verb: 'pause'; ms: number }

export interface GatherVerb extends GatherRequest {
  verb: 'gather'
  prompts: Prompt[]
  hook?: string
  bargeIn: boolean
  language?: string
  hints: string[]
}

/** The caller may speak at any time, and the hook is notified. */
export interface Background {
  hook: string
  speech: boolean
  keys: boolean
}

export type JambonzVerb =
  | Prompt
  | GatherVerb
  | { verb: 'dial'; target: string; callerId?: string; hook?: string }
  | { verb: 'redirect'; hook: string }
  | { verb: 'hangup' }
  | { verb: 'keys'; digits: string }
  | { verb: 'tag'; data: unknown }
  | { verb: 'config'; spoken?: string; heard?: string; background?: Background | 'off' }
  | { verb: 'nothing' }
  | { verb: 'unknown'; problem: string }

const maxVerbs = 100

const object = (value: unknown): Loose => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {})
const string = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const number = (value: unknown, missing: number): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : missing
const strings = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string')
const hookIn = (value: unknown): string | undefined => string(value) ?? string(object(value).url)

/** One verb, or several. */
export const readVerbs = (data: unknown): JambonzVerb[] =>
  (Array.isArray(data) ? (data as unknown[]) : data === undefined || data === null ? [] : [data])
    .slice(0, maxVerbs)
    .map((one) => readVerb(object(one)))

const readers: Readonly<Record<string, (verb: Loose) => JambonzVerb>> = {
  say: (verb) => readSay(verb),
  play: (verb) => readPlay(verb),
  pause: ({ length }) => ({ verb: 'pause', ms: number(length, 1) * 1000 }),
  gather: (verb) => readGather(verb),
  dial: (verb) => readDial(verb),
  redirect: ({ actionHook }) => ({ verb: 'redirect', hook: hookIn(actionHook) ?? '/' }),
  hangup: () => ({ verb: 'hangup' }),
  'sip:decline': () => ({ verb: 'hangup' }),
  dtmf: ({ dtmf }) => ({ verb: 'keys', digits: string(dtmf) ?? '' }),
  tag: ({ data }) => ({ verb: 'tag', data }),
  config: (verb) => readConfig(verb),
  answer: () => ({ verb: 'nothing' }),
}

const readVerb = (verb: Loose): JambonzVerb => {
  const name = string(verb.verb) ?? '(none)'
  const read = Object.hasOwn(readers, name) ? readers[name] : undefined
  return read?.(verb) ?? { verb: 'unknown', problem: `The verb ${name.slice(0, 40)} is not supported and was passed over` }
}

const readSay = ({ text, synthesizer, stream }: Loose): Prompt => {
  const words = strings(text)[0] ?? ''
  const language = string(object(synthesizer).language)
  const spoken = words.trimStart().startsWith('<speak') ? { ssml: words } : { text: words }
  return { verb: 'say', ...spoken, ...(language !== undefined && language !== 'default' && { language }), stream: stream === true }
}

const readPlay = ({ url, loop }: Loose): Prompt => {
  const [address = ''] = strings(url)
  const [, silence] = /^silence_stream:\/\/(\d{1,7})/.exec(address) ?? []
  if (silence !== undefined) return { verb: 'pause', ms: Number(silence) }
  return { verb: 'say', ssml: soundAt(address, loop === undefined ? 1 : Number(loop)), stream: false }
}

const readGather = (verb: Loose): GatherVerb => {
  const { input, actionHook, timeout, numDigits, maxDigits, finishOnKey, say, play, bargein, recognizer } = verb
  const kinds = strings(input)
  const language = string(object(recognizer).language)
  const max = number(numDigits ?? maxDigits, 0)
  const hook = hookIn(actionHook)
  return {
    verb: 'gather',
    prompts: [...(say === undefined ? [] : [readSay(object(say))]), ...(play === undefined ? [] : [readPlay(object(play))])],
    speech: kinds.includes('speech'),
    keys: kinds.length === 0 || kinds.includes('digits') || kinds.includes('dtmf'),
    timeoutSeconds: number(timeout, 5),
    ...(max > 0 && { digits: max }),
    finishOnKey: string(finishOnKey) ?? '',
    ...(hook !== undefined && { hook }),
    bargeIn: bargein === true,
    ...(language !== undefined && language !== 'default' && { language }),
    hints: strings(object(recognizer).hints).slice(0, 100),
  }
}

/** Takes the first callable target. */
const readDial = ({ target, callerId, actionHook }: Loose): JambonzVerb => {
  const targets = (Array.isArray(target) ? (target as unknown[]) : [target]).map(object)
  const found = targets.map(({ type, number: called, name }) =>
    type === 'phone' ? string(called) : type === 'user' ? string(name)?.split('@')[0] : undefined,
  )
  const first = found.find((one) => one !== undefined)
  if (first === undefined) return { verb: 'unknown', problem: 'dial names neither a phone nor a user and was passed over' }
  const [id, hook] = [string(callerId), hookIn(actionHook)]
  return { verb: 'dial', target: first, ...(id !== undefined && { callerId: id }), ...(hook !== undefined && { hook }) }
}

const readConfig = ({ synthesizer, recognizer, bargeIn }: Loose): JambonzVerb => {
  const [spoken, heard] = [string(object(synthesizer).language), string(object(recognizer).language)]
  const { enable, actionHook, input } = object(bargeIn)
  const kinds = strings(input)
  const background: Background | 'off' =
    enable === true ? { hook: hookIn(actionHook) ?? '/', speech: kinds.includes('speech'), keys: kinds.includes('digits') } : 'off'
  return {
    verb: 'config',
    ...(spoken !== undefined && spoken !== 'default' && { spoken }),
    ...(heard !== undefined && heard !== 'default' && { heard }),
    ...(bargeIn !== undefined && { background }),
  }
}
