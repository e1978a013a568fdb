import { bindResponse, messageResponse, unreadableResponse, version, refusals, refusing, sentBy } from './session-rules.ts'
import { decodePdu, readHeader } from '../pdu/decode.ts'
import { encodeMessage, encodePdu } from '../pdu/encode.ts'
import { LinkWatch, RequestWindow } from './request-window.ts'
import {
  isBindResponse,
  isResponse,
  type BindCommand,
  type BindRequest,
  type BindResponse,
  type MessageFields,
  type MessageRequest,
  type MessageResponse,
  type Pdu,
  type RequestPdu,
  type ResponsePdu,
} from '../pdu/pdu.ts'
import { PduSocket } from './pdu-socket.ts'
import type { BindOrder, SessionOptions } from './session-options.ts'
import { SmppError, SmppNotSent, SmppRefused } from '../pdu/smpp-error.ts'
import { status } from '../pdu/status.ts'

/** One connection, either role. */
export class SmppSession {
  /** Resolves with the reason when the connection closes; never rejects. */
  readonly closed: Promise<string>
  readonly #options: SessionOptions
  readonly #responseTimeoutMs: number
  readonly #socket: PduSocket
  readonly #window: RequestWindow
  readonly #messages: MessageQueue
  readonly #watch: LinkWatch
  /** The requested bind of the ESME; granted when #bound is set. */
  #asked: BindCommand | undefined
  #bound: BindCommand | undefined
  #leaving = false
  #ended = false
  readonly #cancelUnbound: () => void

  constructor(options: SessionOptions) {
    const { clock, role, responseTimeoutMs = 10_000, enquireMs = 30_000, window = 10, waiting = 1_000, perSecond } = options
    const { promise, resolve } = Promise.withResolvers<string>()
    this.closed = promise
    this.#options = options
    this.#responseTimeoutMs = responseTimeoutMs
    this.#socket = new PduSocket(options.socket, clock, {
      pdu: (pdu) => this.#received(pdu),
      full: () => this.#window.hold(),
      drained: () => this.#window.release(),
      stopped: (why) => this.#stopped(why),
      gone: resolve,
    })
    const write = (pdu: Buffer): void => this.#socket.write(pdu)
    this.#window = new RequestWindow({ clock, write, late: () => void this.#watch.check(), window, waiting, responseTimeoutMs, perSecond })
    this.#messages = new MessageQueue(options.concurrency ?? 10, options.backlog ?? 100, (request) => this.#work(request))
    const dead = (): void => this.#socket.destroy('The far end does not answer any more')
    this.#watch = new LinkWatch({ clock, enquireMs, enquire: () => this.#enquire(), dead })
    if (role === 'esme') this.#socket.trust()
    this.#cancelUnbound = clock.after(responseTimeoutMs, () => this.#checkBound())
  }

  /** Bind mode of the ESME; undefined before and after. */
  get bound(): BindCommand | undefined {
    return this.#bound
  }

  /** ESME only. Throws SmppRefused, SmppNotSent or SmppUnanswered. */
  async bind(order: BindOrder): Promise<BindResponse> {
    if (this.#asked !== undefined) throw new SmppNotSent('It was asked to bind already')
    const { command = 'bind_transceiver', systemType = '', interfaceVersion = version, addressRange = '' } = order
    const { systemId, password, addressTon = 0, addressNpi = 0 } = order
    const fields = { systemId, password, systemType, interfaceVersion, addressTon, addressNpi, addressRange }
    const pdu = refusing(command, () => encodePdu({ command, sequence: 0, ...fields }))
    this.#asked = command
    return (await this.#window.urgent(command, pdu)) as BindResponse
  }

  /**
   * submit_sm of an ESME, deliver_sm of an SMSC. Resolves when it was accepted. Throws SmppRefused, also if a field cannot be encoded;
   * SmppNotSent if it certainly was not sent; SmppUnanswered if it may or may not have been accepted.
   */
  async send(message: MessageFields): Promise<{ messageId: string }> {
    const command = sentBy(this.#options.role, this.#bound)
    if (command === undefined || this.#leaving) throw new SmppNotSent('Not bound')
    const pdu = refusing(command, () => encodeMessage(command, 0, message))
    return (await this.#window.request(command, pdu)) as MessageResponse
  }

  /** Waits for outstanding responses, unbinds and closes. Never rejects. */
  async unbind(): Promise<void> {
    if (this.#leaving) return void (await this.closed)
    if (this.#bound === undefined) return this.#end('We closed the connection')
    this.#leaving = true
    await Promise.race([Promise.all([this.#window.drain('We are leaving'), this.#messages.idle()]), this.#patience(), this.closed])
    // The connection ends with any response.
    await this.#window.urgent('unbind', encodePdu({ command: 'unbind', sequence: 0 })).catch(() => undefined)
    await this.#end('We closed the connection')
  }

  /** Closes immediately. */
  destroy(why: string): void {
    this.#socket.destroy(why)
  }

  async #end(why: string): Promise<void> {
    this.#socket.end(why)
    await this.closed
  }

  #patience(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(this.#responseTimeoutMs, resolve)
      void this.closed.then(cancel)
    })
  }

  #stopped(why: string): void {
    this.#ended = true
    this.#bound = undefined
    this.#cancelUnbound()
    this.#watch.stop()
    this.#messages.clear()
    this.#window.close(why)
  }

  #received(bytes: Buffer): void {
    this.#watch.heard()
    const header = readHeader(bytes)
    try {
      const pdu = decodePdu(bytes, header)
      if (isResponse(pdu)) this.#answered(pdu)
      else this.#asks(pdu)
    } catch (error) {
      // A response is never rejected.
      if (error instanceof SmppError) return header.isResponse ? undefined : this.#socket.write(unreadableResponse(header, error.status))
      this.#options.fault?.(error)
      this.destroy('Something here is broken')
    }
  }

  #answered(response: ResponsePdu): void {
    // Synchronously, not when the promise is awaited: the first message may follow immediately.
    if (isBindResponse(response.command) && response.status === status.ok && response.command === `${this.#asked}_resp`) {
      this.#becomeBound(this.#asked!)
    }
    this.#window.answered(response)
  }

  #asks(request: RequestPdu): void {
    if ('shortMessage' in request) return this.#takeMessage(request)
    if ('password' in request) return void this.#takeBind(request)
    const { command, sequence } = request
    if (command === 'enquire_link') return this.#write({ command: 'enquire_link_resp', status: status.ok, sequence })
    if (command === 'unbind') return void this.#release(sequence)
    if (command !== 'outbind' && command !== 'alert_notification') {
      this.#write({ command: `${command}_resp`, status: refusals[command], sequence })
    }
  }

  /** Answers earlier messages before the unbind. */
  async #release(sequence: number): Promise<void> {
    if (!this.#leaving) {
      this.#leaving = true
      await Promise.race([this.#messages.idle(), this.#patience(), this.closed])
    }
    this.#write({ command: 'unbind_resp', status: status.ok, sequence })
    this.#socket.end('The far end unbound')
  }

  #takeMessage(request: MessageRequest): void {
    const { role } = this.#options
    const expected = sentBy(role === 'esme' ? 'smsc' : 'esme', this.#bound)
    const allowed = expected !== undefined && (request.command === expected || request.command === 'data_sm')
    if (!allowed) return this.#write(messageResponse(request, status.wrongBindState))
    if (this.#leaving || !this.#messages.take(request))
      this.#write(messageResponse(request, role === 'esme' ? status.receiverLater : status.throttled))
  }

  async #work(request: MessageRequest): Promise<void> {
    const { message, role, fault } = this.#options
    try {
      const answer = await message(request)
      this.#write(messageResponse(request, answer.status, answer.messageId))
    } catch (error) {
      fault?.(error)
      this.#write(messageResponse(request, role === 'esme' ? status.receiverLater : status.systemError))
    }
  }

  async #takeBind(request: BindRequest): Promise<void> {
    if (this.#options.bind === undefined) return this.#write(bindResponse(request, status.wrongBindState))
    if (this.#asked !== undefined) return this.#write(bindResponse(request, status.alreadyBound))
    this.#asked = request.command
    const answer = await this.#askBind(request)
    if (this.#ended) return
    if (answer.status === status.ok) this.#becomeBound(request.command)
    this.#write(bindResponse(request, answer.status, answer.systemId))
    if (answer.status !== status.ok) this.#socket.end('It was not let in')
  }

  async #askBind(request: BindRequest): Promise<{ status: number; systemId?: string }> {
    try {
      return (await this.#options.bind?.(request)) ?? { status: status.bindFailed }
    } catch (error) {
      this.#options.fault?.(error)
      return { status: status.bindFailed }
    }
  }

  #write(pdu: Pdu): void {
    this.#socket.write(encodePdu(pdu))
  }

  #becomeBound(command: BindCommand): void {
    this.#bound = command
    this.#socket.trust()
    this.#cancelUnbound()
    this.#watch.start()
  }

  #checkBound(): void {
    if (this.#bound === undefined) this.#socket.end(`No bind within ${this.#responseTimeoutMs} ms`)
  }

  /** Any response proves that the far end is alive, even an error. */
  async #enquire(): Promise<boolean> {
    try {
      await this.#window.urgent('enquire_link', encodePdu({ command: 'enquire_link', sequence: 0 }))
      return true
    } catch (error) {
      return error instanceof SmppRefused
    }
  }
}

/** Messages of the far end: processes a limited number concurrently and queues a few more. */
class MessageQueue {
  readonly #concurrency: number
  readonly #backlog: number
  readonly #work: (request: MessageRequest) => Promise<void>
  readonly #waiting: MessageRequest[] = []
  #running = 0
  #idle: (() => void)[] = []

  /** `work` must not throw. */
  constructor(concurrency: number, backlog: number, work: (request: MessageRequest) => Promise<void>) {
    this.#concurrency = concurrency
    this.#backlog = backlog
    this.#work = work
  }

  /** Returns false if the queue is full. */
  take(request: MessageRequest): boolean {
    if (this.#running < this.#concurrency) {
      void this.#run(request)
      return true
    }
    if (this.#waiting.length >= this.#backlog) return false
    this.#waiting.push(request)
    return true
  }

  /** Resolves when all accepted messages are processed. */
  async idle(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  /** Drops queued messages: their responses could not be sent. */
  clear(): void {
    this.#waiting.length = 0
  }

  async #run(first: MessageRequest): Promise<void> {
    this.#running += 1
    for (let request: MessageRequest | undefined = first; request; request = this.#waiting.shift()) await this.#work(request)
    this.#running -= 1
    if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }
}
