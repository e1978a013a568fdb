import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { headersOf, readTraceparent, spanIdOf } from '#core/kernel/trace/tracer.ts'
import type { IncomingTrace, Tracer } from '#core/kernel/trace/tracer.ts'

interface TracedOrderDeps {
  clock: Clock
  /** Undefined: tracing is off. */
  tracer: Tracer | undefined
}

interface TracedOrder {
  sessionId: string
  /** The operation and its path, with parameter names instead of values. */
  operation: string
  route: string
  /** Trace context of the request. */
  incoming: IncomingTrace | undefined
}

/** Traces a REST request as part of the call it originates. `carryOut` gets the trace context for the call. */
export const tracedOrder = async (
  { clock, tracer }: TracedOrderDeps,
  { sessionId, operation, route, incoming }: TracedOrder,
  carryOut: (trace: IncomingTrace | undefined) => Promise<void>,
): Promise<void> => {
  if (!tracer) return carryOut(incoming)
  const spanId = spanIdOf(`${sessionId} order`)
  const trace = headersOf(tracer, { callId: sessionId, trace: incoming }, spanId)
  const own = readTraceparent(trace.traceparent)
  const startedAt = clock.now()
  const notify = (error?: string): void => {
    if (!own?.sampled) return
    const attributes = { 'http.request.method': 'POST', 'http.route': route, 'offhook.operation': operation, 'offhook.call.id': sessionId }
    const parentId = incoming && readTraceparent(incoming.traceparent)?.spanId
    tracer.notify({
      traceId: own.traceId,
      spanId,
      parentId,
      name: `POST ${route}`,
      kind: 'server',
      startedAt,
      endedAt: clock.now(),
      attributes,
      error,
    })
  }
  try {
    await carryOut(trace)
    notify()
  } catch (error) {
    notify(error instanceof Problem ? error.code : 'internal')
    throw error
  }
}
