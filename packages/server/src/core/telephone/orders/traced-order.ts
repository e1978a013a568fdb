import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import { headersOf } from '#core/kernel/trace/call-trace.ts'
import { readTraceparent, spanIdOf } from '#core/kernel/trace/trace-context.ts'
import type { IncomingTrace, Tracer } from '#core/kernel/trace/tracer.ts'

export interface TracedOrderDeps {
  clock: Clock
  /** Undefined: no traces are wanted. */
  tracer: Tracer | undefined
}

export interface TracedOrder {
  sessionId: string
  /** The operation and its path, with names in the place of values. */
  operation: string
  route: string
  /** What the request said. */
  incoming: IncomingTrace | undefined
}

/** An order over REST in the trace of the call that comes of it. `carryOut` gets what the call is a part of. */
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
