import type { Action } from '@offhook/contract/assistant/actions.ts'
import type { AssistantEvent, TransferredFrom } from '@offhook/contract/assistant/events.ts'
import type { Variables } from '@offhook/contract/assistant/variables.ts'
import type { RecordingRule } from '@offhook/contract/v1/settings/recording-rule.ts'
import type { assistantOperations } from '@offhook/contract/v3/assistant.ts'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Static } from 'typebox'
import type { Scenario, ScenarioReport } from '@offhook/contract/assistant/scenario.ts'
import type { TrialChannel } from '@offhook/contract/v3/trials.ts'
import type { IncomingTrace } from '#core/kernel/trace/tracer.ts'
import type { ActionProblem } from './store/session.ts'
import type { Flow } from './store/assistant.ts'
import type { SpeechRate, LastSound, Tail } from './speech.ts'
import type { End, EndReason } from './calls.ts'
import type { Cause, Leg } from './telephony.ts'

/** Event for an endpoint. */
export interface OutgoingEvent {
  /** Identical for every attempt. */
  id: string
  sessionId: string
  accountId: string
  /** Starts at 1 in each session. */
  sequence: number
  turn: number
  /** Trace context of the originator. */
  trace?: IncomingTrace | undefined
  /** It happened while a recording was paused: the endpoint receives it, and nothing of it is stored. */
  concealed?: Concealed
  body: AssistantEvent
}

/** While a recording is paused: which keys are pressed, or these and what the caller says. */
export type Concealed = 'keys' | 'words'

export interface EndpointReply {
  actions: readonly Action[]
  problems: readonly ActionProblem[]
  /** Reason to reject the whole reply: it is invalid or belongs to another session. Counts as a failure. */
  refused?: string
  /** Reason why the caller hears nothing of the reply, although it has speech. Its other actions count. */
  unspeakable?: string
}

/** Bytes sent and received in one attempt. */
export interface Exchange {
  /** Missing for a listener without a URL. */
  url?: string
  request: Message
  response?: Message & { status?: number }
}

export interface Message {
  headers: Readonly<Record<string, string>>
  body: string | Buffer
}

/** The endpoint is unreachable: every attempt failed, or the circuit breaker is open. The message contains no address. */
export class EndpointUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EndpointUnavailable'
  }
}

/** No endpoint exists, or it answered that it is permanently gone. */
export class EndpointGone extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EndpointGone'
  }
}

/** Too many concurrent deliveries for this account: no attempt was made. */
export class EndpointBusy extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EndpointBusy'
  }
}

/** Audio from an endpoint. */
export interface EndpointPiece {
  samples: Int16Array
  rate: SpeechRate
}

export interface EndpointChannelObserver {
  /** Audio from the endpoint, for flows with `media`. */
  sounds(piece: EndpointPiece): void
  /** Unsolicited actions from the endpoint (WebSocket), or an unreadable message. */
  acts(reply: EndpointReply): void
  /** Reply after its deadline. It is already in the delivery log; its actions must not be performed. */
  repliedLate(event: OutgoingEvent, reply: EndpointReply): void
  /** Neither the endpoint nor its fallback is reachable. */
  lost(): void
}

/** Connection to an endpoint for one session. */
export interface EndpointChannel {
  /** WebSocket: actions arrive by `acts`, not as the result of `send`. Becomes false when the webhook takes over. */
  readonly duplex: boolean
  /**
   * Resolves with the endpoint's reply. Rejects with EndpointUnavailable, or with the signal's reason once aborted, but only after the
   * event is sent, so that none is lost or overtaken. A later reply goes to `repliedLate` and is recorded as superseded, not as failed.
   * Call it for one event at a time. While duplex it resolves immediately without actions: the event is queued, and stays so when the
   * connection breaks.
   */
  send(event: OutgoingEvent, signal: AbortSignal): Promise<EndpointReply>
  /** Caller audio at 8 kHz, for flows with `media`. Lost while the endpoint is unreachable. */
  sendSound(samples: Int16Array<ArrayBuffer>): void
  /** Adds problems to an event in the delivery log: its reply came too late, or an action could not be performed. With an error it counts as failed. */
  note(eventId: string, problems: readonly ActionProblem[], error?: string): void
  /**
   * Detaches the observer. A WebSocket stays open for a while for the session_end from the outbox; `atOnce`: session_end was already
   * delivered, and no more events follow.
   */
  close(how?: { atOnce: boolean }): Promise<void>
}

/** Session as identified to endpoints. */
export interface NamedSession {
  id: string
  accountId: string
  trace?: IncomingTrace | undefined
}

/** Outbox attempt. */
export interface DeliveryTry {
  attempt: number
  /** After it the event is dead. */
  last: boolean
}

export interface Endpoints {
  open(flow: Flow, session: NamedSession, observer: EndpointChannelObserver): EndpointChannel
  /**
   * Makes one attempt for an event in the outbox. Throws to retry later, EndpointGone if a retry is pointless, EndpointBusy if no attempt
   * was made.
   */
  deliver(flow: Flow, event: OutgoingEvent, which: DeliveryTry): Promise<void>
  /** Resolves when all attempts so far are in the delivery log. */
  flush(): Promise<void>
}

/**
 * Talks to the transfer target while the caller is kept apart: `accepted` connects the two, any other result is the reason it failed.
 * Must end with the leg or the call.
 */
export type Brief = (target: Leg) => Promise<'accepted' | Cause>

/** Data for another assistant of the account that gets the caller. */
export interface Handover extends TransferredFrom {
  variables?: Variables | undefined
}

export interface FlowTransfer {
  callerName?: string
  callerNumber?: string
  /** Warm transfer: the target accepts first; the caller hears music until then. Without it the caller hears the target ring. */
  brief?: Brief
  /** For an assistant that takes the caller. */
  summary?: string
}

/** Call as seen by the assistant that takes it. */
export interface FlowCall {
  readonly callId: string
  /** Each assistant of a call has its own session. */
  readonly sessionId: string
  readonly accountId: string
  readonly direction: 'inbound' | 'outbound'
  /** E.164; undefined if withheld or unknown. Outbound: the flow's own number. */
  readonly from: string | undefined
  /** E.164. Inbound: the number routed to the flow. Outbound: the callee. */
  readonly to: string
  /** Trace context of the originator. */
  readonly trace?: IncomingTrace | undefined
  /** Trial call: the assistant's draft answers. */
  readonly draft?: boolean
  /** `de` or `en`. */
  readonly language: string
  /** Of this call and its number; those of the flow are added. */
  readonly variables?: Variables | undefined
  readonly correlationId?: string | undefined
  /** Another assistant of the account had the caller before. */
  readonly transferredFrom?: TransferredFrom | undefined
  /** Resolves once, with the final end of the call. */
  readonly over: Promise<End>
  /** Answers the call; resolves when the caller is connected. An unanswered call returns to its previous routing. Outbound: already answered. */
  answer(): Promise<void>
  /** The first reason wins. */
  hangUp(reason: EndReason): void
  /**
   * Transfers the caller as if the flow's account called `to`. `taken`: the two talk, the assistant has left the call, and its session is
   * over. Otherwise the reason it failed: the assistant keeps the caller.
   */
  transfer(to: string, options: FlowTransfer): Promise<'taken' | Cause>
  /**
   * Called when a user of the account transfers the caller: the assistant stays silent until the outcome, which has the same meaning as
   * for `transfer`.
   */
  observeTransfers(heed: (to: string, outcome: Promise<'taken' | Cause>) => void): () => void
  /** `make`: what another assistant gets, should the caller be transferred to one. */
  beforeTransfer(make: (summary: string | undefined) => Handover): void
  /** Runs `quiet` before the call moves to another node: it resolves when no one speaks and the session state is stored. */
  beforeHandOver(quiet: () => Promise<void>): void
  /** Requirements before the call is recorded. */
  recordingRule(): Promise<RecordingRule>
  /**
   * Records both sides from now on; once. Resolves when it has started, after the announcement or the consent (asked by `ask`) required
   * by the rule of the account or number. Throws a Problem if the call is not recorded.
   */
  record(ask: () => Promise<boolean>): Promise<void>
  /** Pauses or resumes the recording, also before it has started. */
  pauseRecording(value: boolean): void
  /** The caller is being asked for consent to a recording by other means: DTMF belongs to that. */
  readonly asksForConsent: boolean
  /** Called when the caller cannot hear the assistant (hold, an announcement), and when it can again. Returns the function that stops observing. */
  observe(waits: (value: boolean) => void): () => void
}

/** State of an assistant taken over from another node. */
export interface FlowBefore {
  /** Time the other node was last alive. */
  aliveAt: number
}

/** Runs assistants on calls. */
export interface FlowRuntime {
  /** `before`: resumes the session. Resolves when the assistant has left the call; unless it was transferred, the call is over then. */
  run(call: FlowCall, leg: Leg, flow: Flow, before?: FlowBefore): Promise<void>
}

/** Runtime settings of one assistant, with decrypted secrets. */
export interface AgentSettings {
  flowId: string
  version: number | 'draft'
  /** BCP 47. */
  language: string
  /** Keys that sign requests to its HTTP tools, newest first. */
  secrets: readonly string[]
  assistant: AssistantSettings
  /** Defaults of the flow. */
  variables?: Variables
}

/** Runs assistants: a separate process that talks to a model, isolated from call handling. */
export interface Agent {
  testModel(settings: AgentSettings, second: boolean): Promise<Static<(typeof assistantOperations.testModel)['reply']>>
  testTool(
    settings: AgentSettings,
    tool: string,
    args: Record<string, unknown>,
  ): Promise<Static<(typeof assistantOperations.testTool)['reply']>>
}

/** The agent is missing or does not answer. The message says why. */
export class AgentUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'AgentUnavailable'
  }
}

/** State at a pause of the caller. */
export interface Pause {
  /** Text of the turn so far; not empty. */
  text: string
  /** BCP 47. */
  language: string
  /** Text of the assistant's last speech: callers answer it. */
  asked?: string
  /** From the recogniser, if provided. */
  tail?: Tail
  /** Missing: hardly any voiced audio, or not measured. */
  lastSound?: LastSound
  /** Audio of the last `seconds` of the turn at most, 8 kHz. */
  sound: (seconds: number) => Int16Array<ArrayBuffer>
}

export interface EndOfTurn {
  /** From 0 (more is to come) to 1 (turn complete). */
  probability: number
  /** Contributions by name: positive for the end of the turn, negative against it. For diagnosing slow responses. */
  parts: Readonly<Record<string, number>>
}

/** Decides whether a pause ends the turn. Deterministic per pause. */
export interface TurnDetector {
  readonly name: string
  /** Rejects if it cannot decide or was aborted: then the embedded one is used. */
  judge(pause: Pause, signal: AbortSignal): EndOfTurn | Promise<EndOfTurn>
}

/** Flow under test, as a session would use it. */
export interface TestedFlow {
  accountId: string
  flow: Flow
}

/** Runs conversations with endpoints without audio or telephony. */
export interface ScenarioRunner {
  /** Never rejects: a scenario that cannot run is reported as such. `signal`: the result is no longer needed. */
  run(tested: TestedFlow, scenario: Scenario, signal: AbortSignal): Promise<ScenarioReport>
}

/** Request to an endpoint and its reply. */
export interface EndpointTrial {
  durationMs: number
  exchange: Exchange
  reply: EndpointReply
  /** Reason for a missing or invalid answer. */
  error: string | undefined
}

/** Sends one request to an endpoint outside of any call: no retry, no circuit breaker, no log. */
export interface EndpointTrials {
  /** The flow must have this channel. */
  run(flow: Flow, event: OutgoingEvent, channel: TrialChannel): Promise<EndpointTrial>
}

/** Synthesised utterance. */
export interface MadeSpeech {
  rate: SpeechRate
  samples: Int16Array
}

/** Persists synthesised audio across restarts. Never fails: audio that cannot be stored or read is synthesised again. */
export interface SpeechArchive {
  /** `key`: everything the audio depends on. Returns undefined synchronously if it is missing. */
  find(key: string): Promise<MadeSpeech | undefined> | undefined
  /** Stores in the background. */
  keep(key: string, speech: MadeSpeech): void
  clear(): Promise<void>
  /** Resolves when pending writes are done. */
  close(): Promise<void>
}
