import { SessionStates } from '#core/assistant/session/session-state.ts'
import type { CacheResets } from '#core/kernel/changes/cache-resets.ts'
import type { Bus, Clock } from '#core/kernel/ports/platform.ts'
import type { Leases } from '#core/kernel/work/leases.ts'
import { Tasks } from '#core/kernel/work/worker.ts'
import type { Measurements } from '#core/operate/metrics/measurements.ts'
import type { Endpoints, FlowRuntime, TurnDetector, SpeechArchive } from '#core/kernel/ports/assistant.ts'
import type { Journal, Store } from '#core/kernel/ports/store/index.ts'
import type { OutboundHttp } from '#core/kernel/ports/outbound.ts'
import type { Speech } from '#core/kernel/ports/speech.ts'
import type { Tracer } from '#core/kernel/trace/tracer.ts'
import { assistant } from '#core/assistant/session/run-session.ts'
import type { OnResult } from '#core/assistant/session/endpoint/session-timeline.ts'
import { openConversation } from '#core/assistant/session/floor/open-conversation.ts'
import type { LiveTimelines } from '#core/telephone/timeline/live-timelines.ts'
import { Rehearsals } from '#core/speech/voices/rehearsals.ts'
import { SpeechCache } from '#core/speech/voices/speech-cache.ts'
import type { Log } from '#log/log-events.ts'

interface AssistantsDeps {
  callStore: Store
  journal: Journal | undefined
  clock: Clock
  outbound: OutboundHttp
  speech: Speech
  /** Replaces the embedded one. */
  turnDetector: TurnDetector | undefined
  endpoints: Endpoints
  leases: Leases
  silence: () => Promise<void> | undefined
  measurements: Measurements
  timelines: LiveTimelines
  tracer: Tracer | undefined
  log: Log
  /** `alone`: no other node could resume a session. */
  bus: Pick<Bus, 'alone'>
  /** Undefined: synthesized speech is cached only as long as the process lives. */
  speechArchive: SpeechArchive | undefined
  cacheResets: CacheResets
  /** Called after an outbox message was queued. */
  wake: () => void
  onResult: OnResult
}

/** Running assistant sessions. */
export interface Assistants {
  flows: FlowRuntime
  /** Number of running sessions. */
  readonly size: number
  /** Resolves when no write is pending. */
  idle(): Promise<void>
  /** Called at shutdown: ending sessions no longer wait for their endpoint. */
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
  deps.cacheResets.add(() => cache.clear())
  const rehearsals = new Rehearsals()
  const noting = { store, clock, owner: leases.owner, onError: (error: unknown) => onFailure(error, 'states') }
  const states = bus.alone ? undefined : new SessionStates(noting)
  const runtime = assistant({
    ...books,
    endpoints,
    leases,
    silence: deps.silence,
    timelines,
    tracer,
    wake,
    onResult,
    states,
    openConversation: (on, events) => openConversation({ ...on, speech, turnDetector, clock, outbound, cache, rehearsals }, events),
    onNote: (name, data) => measurements.noted(name, data),
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
