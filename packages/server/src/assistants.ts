import type { Logger } from 'pino'
import type { Leases } from './core/call/leases.ts'
import { Tasks } from './core/call/tasks.ts'
import type { Measurements } from './core/metrics/measurements.ts'
import type { Clock } from './core/ports/clock.ts'
import type { Endpoints } from './core/ports/endpoint.ts'
import type { FlowRuntime } from './core/ports/flow-runtime.ts'
import type { OutboundHttp } from './core/ports/outbound-http.ts'
import type { Speech } from './core/ports/speech.ts'
import type { Store } from './core/ports/store/index.ts'
import { assistant } from './core/session/assistant.ts'
import { openTalk } from './core/session/open-talk.ts'
import type { LiveTimelines } from './core/timeline/live-timelines.ts'
import { SpeechCache } from './core/speech/speech-cache.ts'

export interface AssistantsParts {
  store: Store
  clock: Clock
  outbound: OutboundHttp
  speech: Speech
  endpoints: Endpoints
  leases: Leases
  measurements: Measurements
  timelines: LiveTimelines
  logger: Logger
  /** Something was put into the outbox. */
  wake: () => void
}

/** Everybody who takes calls for customers' endpoints. */
export interface Assistants {
  flows: FlowRuntime
  /** How many are at work. */
  readonly size: number
  /** Nothing is being written at this moment. */
  idle(): Promise<void>
  /** The service stops: from now on a session that ends waits for nobody. */
  hurry(): void
}

export const openAssistants = (parts: AssistantsParts): Assistants => {
  const { store, clock, outbound, speech, endpoints, leases, measurements, timelines, logger, wake } = parts
  const closing = new AbortController()
  const tasks = new Tasks()
  const onFailure = (error: unknown, callId: string): void => logger.error({ err: error, callId }, 'a session had a fault')
  const books = { store, clock, tasks, closing: closing.signal, onFailure }
  const cache = new SpeechCache()
  const runtime = assistant({
    ...books,
    endpoints,
    leases,
    timelines,
    wake,
    openTalk: (on, observer) => openTalk({ ...on, speech, clock, outbound, cache }, observer),
    onTurn(callId, times) {
      logger.info({ callId, ...times }, 'a turn of a caller')
      measurements.turn(times)
    },
  })
  let size = 0
  return {
    flows: {
      run(...taken) {
        size++
        return runtime.run(...taken).finally(() => size--)
      },
    },
    get size() {
      return size
    },
    idle: () => tasks.idle(),
    hurry: () => closing.abort(),
  }
}
