import type { Noted } from './noted.ts'
import { asSeenBy, findTimeline, maySee, readPage, type Reader, type TimelineReading } from './read-timeline.ts'

export interface FeedSink {
  /** `id` is where to go on. */
  notify(id: string, text: string): void
  /** Resolves when the reader has taken most of it; at once when there is nothing to wait for. */
  ready(): Promise<void>
  /** Nothing more can be told: come again. */
  end(): void
}

export interface FeedRequest {
  callId?: string | undefined
  flowId?: string | undefined
  /** The id of the last one that was told before the connection broke. */
  lastId?: string | undefined
}

/** How much may happen while what was before is being read. */
const maxQueued = 1_000
const replayBytes = 256 * 1024

/** What happens in calls, as it happens; of one call also what happened before. */
export class TimelineFeed {
  readonly #reading: TimelineReading
  readonly #reader: Reader
  readonly #callId: string | undefined
  readonly #flowId: string | undefined
  /** Of the one call: the last sequence that was told. */
  #last: number

  private constructor(
    reading: TimelineReading,
    reader: Reader,
    input: { callId: string | undefined; flowId: string | undefined; last: number },
  ) {
    this.#reading = reading
    this.#reader = reader
    this.#callId = input.callId
    this.#flowId = input.flowId
    this.#last = input.last
  }

  /** Throws a Problem when the call is none that the reader may look at. */
  static async open(reading: TimelineReading, reader: Reader, { callId: name, flowId, lastId }: FeedRequest): Promise<TimelineFeed> {
    const callId = name === undefined ? undefined : (await findTimeline(reading, reader.caller, name)).callId
    const [, lastCall, sequence] = /^(.{1,100}):(\d{1,15})$/.exec(lastId ?? '') ?? []
    return new TimelineFeed(reading, reader, { callId, flowId, last: callId !== undefined && lastCall === callId ? Number(sequence) : 0 })
  }

  /** Gives how to stop. Nothing is told before this returns. */
  start(sink: FeedSink): () => void {
    const { timelines } = this.#reading
    const { accountId, userId, admin } = this.#reader.caller
    const waiting: Noted[] | undefined = this.#callId === undefined ? undefined : []
    let [isReplaying, isOver] = [waiting !== undefined, false]
    const stop = timelines.watch({
      accountId,
      userId: admin ? undefined : userId,
      callId: this.#callId,
      flowId: this.#flowId,
      notify: (noted) => {
        if (!isReplaying) this.#notify(noted, sink)
        else if ((waiting?.push(noted) ?? 0) > maxQueued) sink.end()
      },
    })
    const resume = (): void => {
      isReplaying = false
      for (const noted of waiting?.splice(0) ?? []) this.#notify(noted, sink)
    }
    if (this.#callId !== undefined)
      this.#replay(this.#callId, sink, () => isOver).then(resume, () => {
        sink.end()
      })
    return () => {
      isOver = true
      stop()
    }
  }

  async #replay(callId: string, sink: FeedSink, isOver: () => boolean): Promise<void> {
    const { store, timelines } = this.#reading
    await timelines.written()
    for (let more = true; more && !isOver();) {
      const page = await readPage(store, this.#reader, callId, { after: this.#last, limit: 1_000, bytes: replayBytes })
      for (const entry of page.items) {
        this.#last = entry.sequence
        sink.notify(`${callId}:${entry.sequence}`, JSON.stringify(entry))
      }
      await sink.ready()
      more = page.more
    }
  }

  /** What was replayed is not told again. */
  #notify(noted: Noted, sink: FeedSink): void {
    const { entry } = noted
    if ((this.#callId !== undefined && entry.sequence <= this.#last) || !maySee(this.#reader, entry)) return
    if (this.#callId !== undefined) this.#last = entry.sequence
    const seen = asSeenBy(this.#reader, entry)
    sink.notify(`${entry.callId}:${entry.sequence}`, seen === entry ? noted.text : JSON.stringify(seen))
  }
}
