import type { AgentNotes } from '@offhook/contract/v3/agent-notes.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Said, Making } from './conversation.ts'
import type { FlowCall } from '#core/kernel/ports/assistant.ts'
import type { Flow } from '#core/kernel/ports/store/assistant.ts'
import { type SpanAttributes, type SpanEvent, type Tracer, callTrace, type CallTrace, turnSpanId } from '#core/kernel/trace/tracer.ts'

/** Timing of one turn, in milliseconds since the caller's last sound. */
export interface TurnTimes {
  turn: number
  vadEndMs: number
  endpointMs: number
  sttFinalMs: number
  /** The session received the turn. */
  decidedMs: number
  sentMs?: number
  answeredMs?: number
  firstSoundMs?: number
}

/** Measures one turn after the other. Steps that did not happen are missing. */
export class TurnStopwatch {
  readonly #clock: Clock
  readonly #notify: (times: TurnTimes, said: Said) => void
  #startedAt = 0
  #times: TurnTimes | undefined
  #said: Said | undefined

  constructor(clock: Clock, notify: (times: TurnTimes, said: Said) => void) {
    this.#clock = clock
    this.#notify = notify
  }

  said(turn: number, said: Said): void {
    const { speechEndedAt, vadEndMs, endpointMs, sttFinalMs } = said.timing
    this.stop()
    this.#said = said
    this.#startedAt = speechEndedAt
    this.#times = { turn, vadEndMs, endpointMs, sttFinalMs, decidedMs: this.#clock.now() - speechEndedAt }
  }

  sent(): void {
    if (this.#times) this.#times.sentMs = this.#clock.now() - this.#startedAt
  }

  answered(): void {
    if (this.#times) this.#times.answeredMs ??= this.#clock.now() - this.#startedAt
  }

  /** Records the first sound. A sound that began before the answer does not count. */
  sounded(at: number): void {
    const soundMs = at - this.#startedAt
    if (this.#times?.answeredMs === undefined || soundMs < this.#times.answeredMs) return
    this.#times.firstSoundMs = soundMs
    this.stop()
  }

  /** Ends the measurement of this turn. */
  stop(): void {
    if (this.#times && this.#said) this.#notify(this.#times, this.#said)
    this.#times = undefined
  }
}

interface Greeting {
  startedAt: number
  answeredAt?: number
}

/** Span of a turn. Times are milliseconds since the epoch; steps that did not happen are missing. */
interface Turn extends Greeting {
  turn: number
  endedAt: number
  soundedAt?: number | undefined
  attributes?: SpanAttributes
}

/** Undefined if the call is not traced. */
export const sessionSpans = (
  { tracer, clock }: { tracer?: Tracer | undefined; clock: Clock },
  { call, flow }: { call: Pick<FlowCall, 'callId' | 'sessionId' | 'trace'>; flow: Pick<Flow, 'id' | 'settings'> },
): SessionSpans | undefined => {
  const trace = callTrace(tracer, call)
  const isOurs = flow.settings.endpoint === 'assistant'
  return trace && new SessionSpans(trace, { callId: call.sessionId, flowId: flow.id, clock, isOurs })
}

interface SpansOf {
  /** Id of the session, so that turns of several assistants differ. */
  callId: string
  flowId: string
  clock: Clock
  /** The endpoint is our own assistant, so that its notes can be believed. */
  isOurs: boolean
}

/** Turns of a session in the call's trace: from the caller's last sound to the first sound of the answer, with the steps in between. */
export class SessionSpans {
  readonly #trace: CallTrace
  readonly #of: SpansOf
  /** Set until the first words of the assistant or the caller. */
  #greeting: Greeting | undefined

  constructor(trace: CallTrace, of: SpansOf) {
    this.#trace = trace
    this.#of = of
  }

  /** session_start is about to be sent. */
  begins(): void {
    this.#greeting = { startedAt: this.#of.clock.now() }
  }

  /** The endpoint requested an action. */
  answered(): void {
    if (this.#greeting) this.#greeting.answeredAt ??= this.#of.clock.now()
  }

  /** A speech of this turn begins to sound. */
  sounds(turn: number, at: number, making: Making | undefined): void {
    if (making?.provider !== undefined) this.#synthesised(turn, making.provider, making)
    this.#greeted(at)
  }

  turn(times: TurnTimes, said: Said): void {
    const { turn, answeredMs, firstSoundMs } = times
    const startedAt = said.timing.speechEndedAt
    const typed = said.typed === true
    this.#greeted(undefined)
    if (!typed) this.#recognised(times, said)
    this.#notify({
      turn,
      startedAt,
      ...(answeredMs !== undefined && { answeredAt: startedAt + answeredMs }),
      soundedAt: firstSoundMs === undefined ? undefined : startedAt + firstSoundMs,
      endedAt: firstSoundMs === undefined ? this.#of.clock.now() : startedAt + firstSoundMs,
      attributes: { 'offhook.turn.interrupted': said.bargedIn, 'offhook.turn.typed': typed },
    })
  }

  /** Reports a request or tool of our assistant that has just ended. */
  noted(name: string, data: unknown, turn: number): void {
    const { callId, flowId, clock, isOurs } = this.#of
    const work = isOurs ? generativeWork(name, data) : undefined
    if (!work) return
    const { name: spanName, kind, ms, attributes, error } = work
    const endedAt = clock.now()
    this.#trace.notify({
      name: spanName,
      kind,
      parentId: turnSpanId(callId, turn),
      startedAt: endedAt - ms,
      endedAt,
      attributes: { 'offhook.turn': turn, 'offhook.flow.id': flowId, 'gen_ai.conversation.id': callId, ...attributes },
      error,
    })
  }

  ends(): void {
    this.#greeted(undefined)
  }

  #greeted(soundedAt: number | undefined): void {
    const greeting = this.#greeting
    this.#greeting = undefined
    if (greeting) this.#notify({ turn: 0, ...greeting, soundedAt, endedAt: soundedAt ?? this.#of.clock.now() })
  }

  #notify({ turn, startedAt, answeredAt, soundedAt, endedAt, attributes }: Turn): void {
    const { callId, flowId } = this.#of
    const spanId = turnSpanId(callId, turn)
    const of = { 'offhook.turn': turn, 'offhook.flow.id': flowId }
    if (answeredAt !== undefined && soundedAt !== undefined)
      this.#trace.notify({ name: 'first_sound', parentId: spanId, startedAt: answeredAt, endedAt: soundedAt, attributes: of })
    const sounded = soundedAt !== undefined
    this.#trace.notify({ name: 'turn', spanId, startedAt, endedAt, attributes: { ...of, ...attributes, 'offhook.turn.sounded': sounded } })
  }

  #recognised({ turn, sttFinalMs, vadEndMs, endpointMs }: TurnTimes, { recogniser, timing: { speechEndedAt: startedAt } }: Said): void {
    const events: SpanEvent[] = [
      { name: 'silence_noticed', at: startedAt + Math.max(vadEndMs, 0) }, // VAD knows the last sample a little later
      { name: 'end_of_turn', at: startedAt + endpointMs },
    ]
    const attributes = { 'offhook.turn': turn, 'offhook.stt.engine': recogniser }
    const parentId = turnSpanId(this.#of.callId, turn)
    this.#trace.notify({ name: 'stt', parentId, startedAt, endedAt: startedAt + sttFinalMs, attributes, events })
  }

  /** From the TTS request to its first audio. */
  #synthesised(turn: number, engine: string, { askedAt, madeAt }: Making): void {
    const attributes = { 'offhook.turn': turn, 'offhook.tts.engine': engine }
    this.#trace.notify({ name: 'tts', parentId: turnSpanId(this.#of.callId, turn), startedAt: askedAt, endedAt: madeAt, attributes })
  }
}

interface GenerativeWork {
  name: string
  kind: 'client' | 'internal'
  ms: number
  attributes: SpanAttributes
  error: string | undefined
}

/** Names and attributes of OpenTelemetry's conventions for generative AI. Never arguments, requests or answers: traces leave the machine. */
const generativeWork = (name: string, data: unknown): GenerativeWork | undefined => {
  if (name === 'model') return modelRequest(data as AgentNotes['model'])
  return name === 'tool' ? toolRun(data as AgentNotes['tool']) : undefined
}

const modelRequest = (request: AgentNotes['model']): GenerativeWork => {
  const { model, server, version, attempt, promptTokens, completionTokens, finish, totalMs = 0, firstTokenMs, error } = request
  return {
    name: `chat ${model}`,
    kind: 'client',
    ms: totalMs,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': providerAt(server),
      'gen_ai.request.model': model,
      'gen_ai.request.stream': true,
      'gen_ai.response.finish_reasons': finish === undefined ? undefined : [finish],
      'gen_ai.response.time_to_first_chunk': firstTokenMs === undefined ? undefined : firstTokenMs / 1000,
      'gen_ai.usage.input_tokens': promptTokens,
      'gen_ai.usage.output_tokens': completionTokens,
      'server.address': server,
      'offhook.assistant.version': version,
      'offhook.model.attempt': attempt,
    },
    error: error === undefined ? undefined : 'model_failed',
  }
}

const toolRun = ({ name, version, status, ms }: AgentNotes['tool']): GenerativeWork => ({
  name: `execute_tool ${name}`,
  kind: 'internal',
  ms,
  attributes: {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gen_ai.tool.type': 'function',
    'offhook.assistant.version': version,
  },
  error: status === 'ok' ? undefined : `tool_${status}`,
})

/** Well-known names of `gen_ai.provider.name`, by the end of the server's name. */
const providers: readonly (readonly [end: string, name: string])[] = [
  ['.openai.azure.com', 'azure.ai.openai'],
  ['.anthropic.com', 'anthropic'],
  ['.mistral.ai', 'mistral_ai'],
  ['.groq.com', 'groq'],
  ['.deepseek.com', 'deepseek'],
  ['.x.ai', 'x_ai'],
  ['.perplexity.ai', 'perplexity'],
  ['generativelanguage.googleapis.com', 'gcp.gemini'],
]

/** Others speak OpenAI's interface, and the convention wants its name for them. */
const providerAt = (server: string | undefined): string => providers.find(([end]) => server?.endsWith(end))?.[1] ?? 'openai'
