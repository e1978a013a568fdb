import { randomUUID } from 'node:crypto'
import type { Session } from '@offhook/contract/assistant/session.ts'
import {
  GatewayFailure,
  type ForeignEnd,
  type ForeignSocket,
  type GatewaySettings,
  type GatewayWays,
  type ServiceSide,
} from '../gateway.ts'
import { openForeign } from '../open-foreign.ts'
import { e164 } from '../twilio-names.ts'
import { readVerbs, type JambonzVerb } from './jambonz-verbs.ts'

const subprotocol = 'ws.jambonz.org'
/** As long as jambonz waits. */
const ackMs = 5_000

/** What a server does on its own. */
export interface JambonzCommand {
  command: string
  data: unknown
  /** After what is being done, instead of in its place. */
  queued: boolean
}

export interface JambonzLineDeps {
  settings: GatewaySettings
  ways: GatewayWays
  service: Pick<ServiceSide, 'problem'>
  session: Session
  onCommand: (command: JambonzCommand) => void
  onClosed: (end: ForeignEnd) => void
}

/** The WebSocket of a jambonz application: messages that are answered by their id. */
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

  /** Gives what is to be done; undefined: go on. Rejects when the first question of a call is not answered. */
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
  try {
    const message: unknown = JSON.parse(text)
    return typeof message === 'object' && message !== null ? (message as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
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
