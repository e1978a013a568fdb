import {
  FaxUnavailable,
  type FaxAudioSettings,
  type FaxEngine,
  type FaxOutcome,
  type FaxReceiveJob,
  type FaxSendJob,
  type FaxStream,
  type FaxStreamObserver,
  type FaxT38Settings,
} from '#media/fax/engine.ts'

export const sentWell: FaxOutcome = { code: 0, pages: 1, bitRate: 14_400, errorCorrection: true, carriedBy: 't38', station: '+49 30 1' }
/** The call ended before T.30. */
export const dropped: FaxOutcome = { ...sentWell, code: 49, pages: 0, station: '' }

/** Modem whose T.30 session follows the test's script. */
export class ScriptedFaxStream implements FaxStream {
  readonly localPort: number
  readonly calling: boolean
  settled = false
  closed = false
  /** Commands in order: `audio 10.0.0.2:4000`. */
  readonly lines: string[] = []
  t38Settings: FaxT38Settings | undefined
  job: FaxSendJob | FaxReceiveJob | undefined
  observer: FaxStreamObserver = {}
  #finish: (outcome: FaxOutcome) => void = () => {}

  constructor(localPort: number, calling: boolean) {
    this.localPort = localPort
    this.calling = calling
  }

  audio({ codec, remote }: FaxAudioSettings): void {
    this.lines.push(`${codec} ${remote.address}:${remote.port}`)
  }

  t38(settings: FaxT38Settings): void {
    this.t38Settings = settings
    this.lines.push(`T.38 ${settings.remote.address}:${settings.remote.port}`)
  }

  send(job: FaxSendJob, observer: FaxStreamObserver = {}): Promise<FaxOutcome> {
    return this.#begin(job, observer)
  }

  receive(job: FaxReceiveJob, observer: FaxStreamObserver = {}): Promise<FaxOutcome> {
    return this.#begin(job, observer)
  }

  /** Ends T.30. */
  finish(outcome: FaxOutcome): void {
    this.#finish(outcome)
  }

  close(): Promise<void> {
    this.closed = true
    this.#finish(dropped)
    return Promise.resolve()
  }

  #begin(job: FaxSendJob | FaxReceiveJob, observer: FaxStreamObserver): Promise<FaxOutcome> {
    this.job = job
    this.observer = observer
    return new Promise((resolve) => {
      this.#finish = resolve
    })
  }
}

/** Modems without a line. */
export class ScriptedFaxEngine implements FaxEngine {
  missing: string | undefined
  readonly streams: ScriptedFaxStream[] = []

  open(calling: boolean): Promise<FaxStream> {
    if (this.missing !== undefined) return Promise.reject(new FaxUnavailable(this.missing))
    const stream = new ScriptedFaxStream(20_000 + 2 * this.streams.length, calling)
    this.streams.push(stream)
    return Promise.resolve(stream)
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}
