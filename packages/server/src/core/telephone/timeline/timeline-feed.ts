import { extensionsIn, scopeOf } from '#core/account/identity/caller/grants.ts'
import type { Noted } from './pieces.ts'
import { asSeenBy, findTimeline, maySee, readPage, type Reader, type TimelineReading } from './read-timeline.ts'

interface FeedSink {
  /** `id`: position to resume from. */
  notify(id: string, text: string): void
  /** Resolves when the reader has consumed most of it; immediately without backpressure. */
  ready(): Promise<void>
  /** Ends the feed; the reader has to reconnect. */
  end(): void
}

interface FeedRequest {
  callId?: string | undefined
  flowId?: string | undefined
  /** Id of the last entry sent before the connection broke. */
  lastId?: string | undefined
}

/** Maximum entries queued during the replay. */
const maxQueued = 1_000
const replayBytes = 256 * 1024

/** Live feed of calls; for a single call also its earlier entries. */
export class TimelineFeed {
  readonly #reading: TimelineReading
  readonly #reader: Reader
  readonly #callId: string | undefined
  readonly #flowId: string | undefined
  /** Last sequence sent for the single call. */
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

  /** Throws a Problem when the reader may not see the call. */
  static async open(reading: TimelineReading, reader: Reader, { callId: name, flowId, lastId }: FeedRequest): Promise<TimelineFeed> {
    const callId = name === undefined ? undefined : (await findTimeline(reading, reader.caller, name)).callId
    const [, lastCall, sequence] = /^(.{1,100}):(\d{1,15})$/.exec(lastId ?? '') ?? []
    return new TimelineFeed(reading, reader, { callId, flowId, last: callId !== undefined && lastCall === callId ? Number(sequence) : 0 })
  }

  /** Returns the stop function. Sends no entry before it returns. */
  start(sink: FeedSink): () => void {
    const { timelines } = this.#reading
    const { accountId, userId, admin } = this.#reader.caller
    const scope = scopeOf(this.#reader.caller, 'CAN_GET_HISTORY')
    const waiting: Noted[] | undefined = this.#callId === undefined ? undefined : []
    let [isReplaying, isOver] = [waiting !== undefined, false]
    const stop = timelines.watch({
      accountId,
      userId: admin || scope ? undefined : userId,
      extensions: scope && extensionsIn(scope),
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

  /** Skips replayed entries. */
  #notify(noted: Noted, sink: FeedSink): void {
    const { entry } = noted
    if ((this.#callId !== undefined && entry.sequence <= this.#last) || !maySee(this.#reader, entry)) return
    if (this.#callId !== undefined) this.#last = entry.sequence
    const seen = asSeenBy(this.#reader, entry)
    sink.notify(`${entry.callId}:${entry.sequence}`, seen === entry ? noted.text : JSON.stringify(seen))
  }
}
