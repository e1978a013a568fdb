export { ApiError, authorizationOf, clientOf, type Client, type ClientOptions, type Route } from './client-of.ts'
export { createClient } from './client.ts'
export type { Exchange } from './forward.ts'
export { listen, ListenEnded, type ListenOptions } from './listen.ts'
export { watchTimeline, type WatchOptions } from './watch-timeline.ts'
export {
  assistant,
  type Answer,
  type Assistant,
  type AssistantOptions,
  type EventOf,
  type HandlerContext,
  type Handlers,
  type Reply,
} from './assistant.ts'
export { verifyWebhook, type SignedRequest } from './verify-webhook.ts'
