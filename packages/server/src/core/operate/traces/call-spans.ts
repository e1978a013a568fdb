import type { End, EndReason, CallChange, CallFacts, CallObserver } from '#core/kernel/ports/calls.ts'
import type { SpanAttributes, SpanEvent, Tracer } from '#core/kernel/trace/tracer.ts'
import { callTrace, type CallTrace } from '#core/kernel/trace/tracer.ts'

/** End reasons that count as errors. */
const faults: readonly EndReason[] = ['failed', 'media_timeout', 'service_failure', 'endpoint_unavailable']

/** State of a running call for its span. */
interface Running {
  trace: CallTrace
  events: SpanEvent[]
  setUp: boolean
}

/** Reports the span of each call and of its setup. A call that is taken over is reported by the process that ends it. */
export class CallSpans implements CallObserver {
  readonly #tracer: Tracer
  readonly #running = new Map<string, Running>()

  constructor(tracer: Tracer) {
    this.#tracer = tracer
  }

  /** Trace id of a running, sampled call. */
  traceIdOf(callId: string): string | undefined {
    return this.#running.get(callId)?.trace.traceId
  }

  changed(call: CallFacts, what: CallChange): void {
    const running = this.#running.get(call.callId) ?? this.#begin(call)
    if (!running) return
    if (what === 'ended') return this.#ended(running, call)
    if (what === 'taken') return void this.#running.delete(call.callId)
    if (what === 'resumed') running.setUp = true // reported by the previous process
    if (what !== 'started') running.events.push({ name: what, at: call.at })
    if (what === 'answered') this.#setUp(running, call)
  }

  /** Reports a call whose process is gone. Its setup was already reported, or is unknown. */
  lost(call: CallFacts): void {
    const running = this.#begin(call)
    if (!running) return
    running.setUp = true
    this.#ended(running, call)
  }

  #begin(call: CallFacts): Running | undefined {
    const trace = callTrace(this.#tracer, call)
    if (!trace) return undefined
    const running: Running = { trace, events: [], setUp: false }
    this.#running.set(call.callId, running)
    return running
  }

  #ended(running: Running, call: CallFacts): void {
    const { callId, startedAt, endedAt = call.at, end, accountIds } = call
    queueMicrotask(() => this.#running.delete(callId)) // other observers may still need its trace
    if (!running.setUp) this.#setUp(running, call)
    running.trace.notifyCall({
      name: 'call',
      kind: 'server',
      startedAt,
      endedAt,
      attributes: { 'offhook.account.id': accountIds[0], 'offhook.codec': call.codecs().join(' ') || undefined, ...ofEnd(end) },
      events: running.events,
      error: end && faults.includes(end.reason) ? end.reason : undefined,
    })
  }

  /** Setup from arrival to the answer, or to the end if unanswered. */
  #setUp(running: Running, { startedAt, answeredAt, endedAt, at, end }: CallFacts): void {
    running.setUp = true
    const events = running.events.filter(({ name }) => name === 'ringing')
    const attributes = { 'offhook.call.answered': answeredAt !== undefined }
    const error = answeredAt === undefined && end && faults.includes(end.reason) ? end.cause : undefined
    running.trace.notify({ name: 'sip.setup', startedAt, endedAt: answeredAt ?? endedAt ?? at, attributes, events, error })
  }
}

const ofEnd = (end: End | undefined): SpanAttributes => ({
  'offhook.call.end.by': end?.by,
  'offhook.call.end.reason': end?.reason,
  'offhook.call.end.cause': end?.cause,
})
