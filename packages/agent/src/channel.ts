import type { Static } from 'typebox'
import type { assistantOperations } from '@offhook/contract/v3/assistant.ts'
import type { AgentSettings, ServiceHost } from './host.ts'

/** Common interface of a thread (`MessagePort`, `Worker`) and a process (`process`, `ChildProcess`). */
export interface Port {
  post(message: Message): void
  /** Called once, before anything is posted. */
  listen(take: (message: Message) => void): void
}

/** Either side may ask; each question gets one answer with its id. The ids of the two sides are independent. */
export type Message =
  | { type: 'ask'; id: number; method: string; args: readonly unknown[] }
  | { type: 'answer'; id: number; value: unknown }
  | Refusal

interface Refusal {
  type: 'refusal'
  id: number
  message: string
}

export type ModelMeasured = Static<(typeof assistantOperations.testModel)['reply']>
export type ToolTried = Static<(typeof assistantOperations.testTool)['reply']>

/** Requests from the service to the agent. */
export interface AgentOrders {
  /**
   * The first request. Afterwards the agent takes calls at `ws://127.0.0.1:{port}/{flowId}/{version}` (a number or `draft`; `?test=` plus the
   * session id for a test). Connections send the key in `X-API-Key`: another key gets 401, and a rejection by `Host.settings` gets 404.
   */
  start(input: { key: string }): Promise<{ port: number }>
  testModel(settings: AgentSettings, second: boolean): Promise<ModelMeasured>
  /** Rejects an unknown tool. */
  testTool(settings: AgentSettings, tool: string, args: Record<string, unknown>): Promise<ToolTried>
  /**
   * Takes no new calls; resolves when ended calls have reported their results, after `withinMs` at the latest. The thread or process may end
   * then.
   */
  stop(withinMs: number): Promise<void>
}

type Asynchronous<T> = { [M in keyof T]: (...args: never[]) => Promise<unknown> }

/** Both sides of the channel: answers requests with the functions in `ours` and asks the other side. */
export class Channel<Ours extends Asynchronous<Ours>, Theirs extends Asynchronous<Theirs>> {
  readonly #port: Port
  readonly #ours: Ours
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>()
  #asked = 0
  #broken: string | undefined

  constructor(port: Port, ours: Ours) {
    this.#port = port
    this.#ours = ours
    port.listen((message) => this.#take(message))
  }

  /** Rejects with the other side's reason. */
  ask<M extends keyof Theirs & string>(method: M, ...args: Parameters<Theirs[M]>): ReturnType<Theirs[M]> {
    const answer = Promise.withResolvers<unknown>()
    const id = ++this.#asked
    if (this.#broken === undefined) {
      this.#open.set(id, answer)
      this.#port.post({ type: 'ask', id, method, args })
    } else answer.reject(new Error(this.#broken))
    return answer.promise as ReturnType<Theirs[M]>
  }

  /** The other side is gone: rejects all pending requests. */
  broke(reason: string): void {
    this.#broken = reason
    for (const answer of this.#open.values()) answer.reject(new Error(reason))
    this.#open.clear()
  }

  #take(message: Message): void {
    if (message.type === 'ask') return void this.#answer(message.id, message.method, message.args)
    const answer = this.#open.get(message.id)
    this.#open.delete(message.id)
    if (message.type === 'answer') answer?.resolve(message.value)
    else answer?.reject(new Error(message.message))
  }

  async #answer(id: number, method: string, args: readonly unknown[]): Promise<void> {
    let message: Message
    try {
      const known = this.#ours as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>
      if (!Object.hasOwn(known, method)) throw new Error(`${method} is not known here`)
      message = { type: 'answer', id, value: await known[method]?.(...args) }
    } catch (error) {
      message = { type: 'refusal', id, message: (error as Error).message }
    }
    if (this.#broken === undefined) this.#port.post(message)
  }
}

const hostMethods = [
  'settings',
  'addresses',
  'lookUp',
  'sendSms',
  'takeMessage',
  'calendar',
  'spend',
  'rehearsal',
] as const satisfies (keyof ServiceHost)[]

/** The service's interface, called over the channel. */
export const hostOver = (channel: Channel<AgentOrders, ServiceHost>): ServiceHost =>
  Object.fromEntries(
    hostMethods.map((method) => [method, (...args: Parameters<ServiceHost[typeof method]>) => channel.ask(method, ...args)]),
  ) as unknown as ServiceHost
