import type { MediaStream, Pcm, Playback, Recording, Room } from './engine.ts'
import type { MediaThread } from './media-thread.ts'
import { nothingPlayed, nothingRecorded, Runs } from './runs.ts'
import { StreamHandle } from './stream-handle.ts'

/** A room on a media thread, held by the main thread. It is on the thread of the first stream in it. */
export class RoomHandle implements Room {
  readonly id: number
  readonly runs: Runs
  readonly gone: Promise<void>
  #thread: MediaThread | undefined
  #open = true
  #leave: () => void = () => {}

  constructor(id: number, nextId: () => number) {
    this.id = id
    this.runs = new Runs(id, nextId)
    this.gone = new Promise((resolve) => (this.#leave = resolve))
  }

  add(stream: MediaStream): void {
    if (!this.#open || !(stream instanceof StreamHandle) || !stream.thread.alive) return
    if (this.#thread === undefined) {
      this.#thread = stream.thread
      this.#thread.tell({ do: 'open-room', room: this.id })
    }
    if (this.#thread !== stream.thread) throw new Error('the stream is on another media thread: open it near one of the room')
    this.#thread.tell({ do: 'add', room: this.id, stream: stream.id })
  }

  remove(stream: MediaStream): void {
    if (this.#open && stream instanceof StreamHandle) this.#thread?.tell({ do: 'remove', room: this.id, stream: stream.id })
  }

  play(sound: Pcm): Playback {
    return this.#open && this.#thread ? this.runs.play(this.#thread, sound, false) : nothingPlayed
  }

  record(file: string, channels: 1 | 2): Recording {
    return this.#open && this.#thread ? this.runs.record(this.#thread, file, channels) : nothingRecorded
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    void this.#end()
  }

  async #end(): Promise<void> {
    await this.#thread?.ask({ do: 'close', party: this.id }).catch(() => {})
    this.runs.abandon()
    this.#leave()
  }

  threadDied(thread: MediaThread): void {
    if (thread !== this.#thread) return
    this.#thread = undefined
    this.runs.abandon()
  }
}
