import type { FlowCall } from '#core/kernel/ports/assistant/flow-runtime.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { SpanAttributes, SpanEvent, Tracer } from '#core/kernel/trace/tracer.ts'
import { callTrace, type CallTrace } from '#core/kernel/trace/call-trace.ts'
import { turnSpanId } from '#core/kernel/trace/trace-context.ts'
import type { Making, Said } from '../conversation/conversation.ts'
import type { TurnTimes } from '../conversation/turn-times.ts'

interface Greeting {
  startedAt: number
  answeredAt?: number
}

/** A turn as its span tells it. Times are milliseconds since the epoch; what did not happen is missing. */
interface Turn extends Greeting {
  turn: number
  endedAt: number
  soundedAt?: number | undefined
  attributes?: SpanAttributes
}

/** Undefined when nobody wants to know of this call. */
export const sessionSpans = (
  { tracer, clock }: { tracer?: Tracer | undefined; clock: Clock },
  { call, flow }: { call: Pick<FlowCall, 'callId' | 'trace'>; flow: Pick<Flow, 'id'> },
): SessionSpans | undefined => {
  const trace = callTrace(tracer, call)
  return trace && new SessionSpans(trace, { callId: call.callId, flowId: flow.id, clock })
}

/** The turns of a session in the trace of its call: from the caller's last sound to the first of the answer, and what was done in between. */
export class SessionSpans {
  readonly #trace: CallTrace
  readonly #of: { callId: string; flowId: string; clock: Clock }
  /** Until the assistant has said something, or the caller. */
  #greeting: Greeting | undefined

  constructor(trace: CallTrace, of: { callId: string; flowId: string; clock: Clock }) {
    this.#trace = trace
    this.#of = of
  }

  /** The endpoint is about to hear of the session. */
  begins(): void {
    this.#greeting = { startedAt: this.#of.clock.now() }
  }

  /** The endpoint wants something to be done. */
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
      { name: 'silence_noticed', at: startedAt + Math.max(vadEndMs, 0) }, // which sample was the last is known a little later
      { name: 'end_of_turn', at: startedAt + endpointMs },
    ]
    const attributes = { 'offhook.turn': turn, 'offhook.stt.engine': recogniser }
    const parentId = turnSpanId(this.#of.callId, turn)
    this.#trace.notify({ name: 'stt', parentId, startedAt, endedAt: startedAt + sttFinalMs, attributes, events })
  }

  /** From asking the voice for a speech to its first sound. */
  #synthesised(turn: number, engine: string, { askedAt, madeAt }: Making): void {
    const attributes = { 'offhook.turn': turn, 'offhook.tts.engine': engine }
    this.#trace.notify({ name: 'tts', parentId: turnSpanId(this.#of.callId, turn), startedAt: askedAt, endedAt: madeAt, attributes })
  }
}
