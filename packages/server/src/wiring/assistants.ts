import { SessionStates } from '#core/assistant/session/state/session-states.ts'
import type { Bus } from '#core/kernel/ports/bus.ts'
import type { Leases } from '#core/kernel/work/leases.ts'
import { Tasks } from '#core/kernel/work/tasks.ts'
import type { Measurements } from '#core/operate/metrics/measurements.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Endpoints } from '#core/kernel/ports/assistant/endpoint.ts'
import type { FlowRuntime } from '#core/kernel/ports/assistant/flow-runtime.ts'
import type { Journal } from '#core/kernel/ports/journal.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound-http.ts'
import type { TurnDetector } from '#core/kernel/ports/assistant/turn-detector.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { SpeechArchive } from '#core/kernel/ports/assistant/speech-archive.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Tracer } from '#core/kernel/trace/tracer.ts'
import { assistant } from '#core/assistant/session/assistant.ts'
import type { OnResult } from '#core/assistant/session/endpoint/session-notes.ts'
import { openConversation } from '#core/assistant/session/floor/open-conversation.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import { Rehearsals } from '#core/speech/voices/rehearsals.ts'
import { SpeechCache } from '#core/speech/voices/speech-cache.ts'
import type { Log } from '#log/log-events.ts'

export interface AssistantsDeps {
  callStore: Store
  journal: Journal | undefined
  clock: Clock
  outbound: OutboundHttp
  speech: Speech
  /** In place of the embedded one. */
  turnDetector: TurnDetector | undefined
  endpoints: Endpoints
  leases: Leases
  measurements: Measurements
  timelines: LiveTimelines
  tracer: Tracer | undefined
  log: Log
  /** No other process could go on with a session. */
  bus: Pick<Bus, 'alone'>
  /** Undefined: sound is kept as long as the process lives. */
  speechArchive: SpeechArchive | undefined
  /** Something was put into the outbox. */
  wake: () => void
  onResult: OnResult
}

/** The assistants at work on calls. */
export interface Assistants {
  flows: FlowRuntime
  /** How many sessions are running. */
  readonly size: number
  /** Resolves when nothing is being written. */
  idle(): Promise<void>
  /** The service stops: from now on a session that ends does not wait for its endpoint. */
  hurry(): void
  close(): Promise<void>
}

export const openAssistants = (deps: AssistantsDeps): Assistants => {
  const {
    callStore: store,
    journal,
    clock,
    outbound,
    speech,
    endpoints,
    leases,
    measurements,
    timelines,
    tracer,
    log,
    wake,
    onResult,
    bus,
    turnDetector,
  } = deps
  const closing = new AbortController()
  const tasks = new Tasks()
  const onFailure = (error: unknown, callId: string): void => log('assistant_session_failed', { err: error, callId })
  const books = { store, clock, tasks, journal, closing: closing.signal, onFailure }
  const cache = new SpeechCache({ archive: deps.speechArchive })
  const rehearsals = new Rehearsals()
  const noting = { store, clock, owner: leases.owner, onError: (error: unknown) => onFailure(error, 'states') }
  const states = bus.alone ? undefined : new SessionStates(noting)
  const runtime = assistant({
    ...books,
    endpoints,
    leases,
    timelines,
    tracer,
    wake,
    onResult,
    states,
    openConversation: (on, observer) => openConversation({ ...on, speech, turnDetector, clock, outbound, cache, rehearsals }, observer),
    onTurn(callId, times) {
      log('assistant_turn', { callId, ...times })
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
    close: () => states?.close() ?? Promise.resolve(),
  }
}
