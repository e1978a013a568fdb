import type { SttObserver, SttStream } from '#core/kernel/ports/speech.ts'
import type { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import type { LiveDialect } from './live-connection.ts'
import { LiveStream } from './live-stream.ts'
import type { Provider } from './provider.ts'

/** All that listen at the moment, so that they can be closed together. */
export class LiveStreams {
  readonly #streams = new Set<SttStream>()
  readonly #connections = new Set<Promise<void>>()

  open(provider: Provider, dialect: LiveDialect, track: SoundTrack, observer: SttObserver): SttStream {
    const stream: LiveStream = new LiveStream(provider, dialect, track, observer, {
      connected: (closed) => this.#remember(closed),
      ended: () => this.#streams.delete(stream),
    })
    this.#streams.add(stream)
    return stream
  }

  /** Resolves when the last connection is gone. */
  async close(): Promise<void> {
    for (const stream of this.#streams) stream.close()
    await Promise.all(this.#connections)
  }

  #remember(connection: Promise<void>): void {
    this.#connections.add(connection)
    void connection.then(() => this.#connections.delete(connection))
  }
}
