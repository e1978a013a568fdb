import type { Message, Port } from './channel.ts'

/** A `MessagePort` or a `Worker`. */
export interface ThreadEnd {
  postMessage(message: unknown, transfer: []): void
  on(event: 'message', take: (message: Message) => void): unknown
}

/** `process` in a forked process, or a `ChildProcess`. Its channel may be closed. */
export interface ProcessEnd {
  readonly connected: boolean
  send?(message: unknown): boolean
  on(event: 'message', take: (message: Message) => void): unknown
}

export const threadPort = (end: ThreadEnd): Port => ({
  post: (message) => end.postMessage(message, []),
  listen: (take) => void end.on('message', take),
})

export const processPort = (end: ProcessEnd): Port => ({
  post: (message) => void (end.connected && end.send?.(message)),
  listen: (take) => void end.on('message', take),
})
