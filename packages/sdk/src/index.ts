export { ApiError, authorizationOf, clientOf, type Client, type ClientOptions, type Route } from './client-of.ts'
export { createClient } from './client.ts'
export type { Exchange } from './forward.ts'
export { listen, ListenEnded, type ListenOptions } from './listen.ts'
export { watchTimeline, type WatchOptions } from './watch-timeline.ts'
export { assistant, type Assistant, type AssistantConnection, type AssistantOptions } from './assistant.ts'
export type { Answer, EventOf, Piece, Reply, SpeechFields, Turn } from './answering.ts'
export type { HandlerContext, Handlers } from './find-answers.ts'
export type { AssistantSocket } from './converse.ts'
export { verifyWebhook, type SignedRequest } from './verify-webhook.ts'
export { live, type Live, type LiveConnection, type LiveOptions, type LiveSocket } from './live/live.ts'
export type { LiveEvent, LiveHandlers, LiveReply, ResumeEvent } from './live/handlers.ts'
export { simulate, ExpectationError, type Patience, type SimulatedCall, type SimulateOptions } from './simulate/simulate.ts'
export {
  holdScenario,
  runScenario,
  type CallersMove,
  type Helpers,
  type Judge,
  type PlayCaller,
  type RunOptions,
  type ScenarioCall,
} from './simulate/run-scenario.ts'
export type { Search } from './simulate/expectations.ts'
export { VirtualClock } from './simulate/virtual-clock.ts'
export type { VirtualCallOptions } from './simulate/virtual-call.ts'
export type { Endpoint, EndpointConnection } from './simulate/endpoint-line.ts'
export { endpointAt, type EndpointOptions } from './endpoints/endpoint-at.ts'
export { Unreachable } from './endpoints/unreachable.ts'
export { callerAt, judgeAt, ModelFailed, type ModelAddress } from './simulate/models.ts'
export { tool, type Tool, type ToolTurn, type ToolWish } from './tool.ts'
