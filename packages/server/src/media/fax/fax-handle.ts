import {
  FaxUnavailable,
  type FaxAudioSettings,
  type FaxOutcome,
  type FaxReceiveJob,
  type FaxSendJob,
  type FaxStream,
  type FaxStreamObserver,
  type FaxT38Settings,
} from './engine.ts'
import type { FaxChild } from './fax-child.ts'
import type { FaxEvent } from './fax-protocol.ts'
import type { FaxSettings } from './fax-run.ts'
import type { FaxJob } from './t30.ts'

/** One fax in another process. When that is gone, so is the fax, and what is known of it is told. */
export class FaxHandle implements FaxStream {
  readonly localPort: number
  settled = false
  /** Its port belongs to another program. */
  elsewhere = false
  readonly #id: number
  readonly #child: FaxChild
  readonly #opened = Promise.withResolvers<boolean>()
  readonly #outcome = Promise.withResolvers<FaxOutcome>()
  readonly #gone = Promise.withResolvers<void>()
  #observer: FaxStreamObserver = {}
  #pages = 0
  #carriedBy: FaxSettings['kind'] = 'audio'
  #closing = false

  constructor(id: number, port: number, child: FaxChild) {
    this.#id = id
    this.localPort = port
    this.#child = child
    this.#opened.promise.catch(() => {})
    child.listen(id, (event) => this.#notified(event))
  }

  /** The port is not used any more. */
  get gone(): Promise<void> {
    return this.#gone.promise
  }

  /** False when the port belongs to another program. Throws FaxUnavailable. */
  async open(address: string, calling: boolean): Promise<boolean> {
    try {
      await this.#child.ready
      this.#child.notify({ do: 'open', fax: this.#id, address, port: this.localPort, calling })
      const opened = await this.#opened.promise
      this.elsewhere = !opened
      if (!opened) this.#end()
      return opened
    } catch (error) {
      this.#end()
      throw error
    }
  }

  audio(settings: FaxAudioSettings): void {
    this.#turn({ kind: 'audio', ...settings })
  }

  t38(settings: FaxT38Settings): void {
    this.#turn({ kind: 't38', ...settings })
  }

  send(job: FaxSendJob, observer?: FaxStreamObserver): Promise<FaxOutcome> {
    return this.#start({ kind: 'send', ...job }, observer)
  }

  receive(job: FaxReceiveJob, observer?: FaxStreamObserver): Promise<FaxOutcome> {
    return this.#start({ kind: 'receive', ...job }, observer)
  }

  close(): Promise<void> {
    if (!this.#closing) this.#child.notify({ do: 'close', fax: this.#id })
    this.#closing = true
    return this.gone
  }

  #turn(settings: FaxSettings): void {
    this.#carriedBy = settings.kind
    this.#child.notify({ do: 'configure', fax: this.#id, settings })
  }

  #start(job: FaxJob, observer: FaxStreamObserver = {}): Promise<FaxOutcome> {
    this.#observer = observer
    this.#child.notify({ do: 'start', fax: this.#id, job })
    return this.#outcome.promise
  }

  #notified(event: Extract<FaxEvent, { fax: number }> | undefined): void {
    if (event === undefined || event.tell === 'closed') this.#end()
    else if (event.tell === 'opened') this.#opened.resolve(event.opened)
    else if (event.tell === 'done') this.#outcome.resolve(event.outcome)
    else if (event.tell === 'settled') this.settled = true
    else if (event.tell === 'page') {
      this.#pages = event.pages
      this.#observer.page?.(event.pages)
    }
  }

  /** Whatever was not told before is not known. */
  #end(): void {
    this.#closing = true
    this.#opened.reject(new FaxUnavailable('the process for faxes ended'))
    const unknown = { code: undefined, bitRate: 0, errorCorrection: false, station: '' }
    this.#outcome.resolve({ ...unknown, pages: this.#pages, carriedBy: this.#carriedBy })
    this.#child.forget(this.#id)
    this.#gone.resolve()
  }
}
