import type { Counts } from '#api/phone/quality.ts'
import { ownSocket } from '../own-socket.ts'
import { openCallSound, type CallSound } from './pcm/call-sound.ts'
import { peakOf } from './pcm/pcm.ts'

/** More than this unsent: the line is too slow, and what is old is of no use. */
export const maxUnsentBytes = 64 * 1024

/** The sound of a call over a WebSocket, where WebRTC finds no way. It needs no more than the page itself, but waits for whatever is lost. */
export class SoundLine {
  readonly #sound: CallSound
  readonly #onBroken: () => void
  #socket: WebSocket | undefined
  #frames = 0
  #energy = 0
  /** What comes from the other side. */
  readonly remote: MediaStream

  private constructor(sound: CallSound, remote: MediaStream, onBroken: () => void) {
    this.#sound = sound
    this.remote = remote
    this.#onBroken = onBroken
  }

  /** `onBroken`: another address is needed. */
  static async open(microphone: MediaStream, onBroken: () => void): Promise<SoundLine> {
    let line: SoundLine | undefined
    let remote = new MediaStream()
    const sound = await openCallSound({
      microphone,
      onFrame: (frame) => line && line.#send(frame),
      onMicrophoneLost: () => {},
      speaker: (context) => {
        const ear = context.createMediaStreamDestination()
        remote = ear.stream
        return ear
      },
    })
    line = new SoundLine(sound, remote, onBroken)
    return line
  }

  connect(path: string): void {
    this.#socket?.close()
    const socket = ownSocket(path)
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) => {
      if (socket === this.#socket) this.#play(data)
    })
    socket.addEventListener('close', () => {
      if (socket === this.#socket) this.#onBroken()
    })
    this.#socket = socket
  }

  /** Instead of what it was sent from before. */
  listenTo(stream: MediaStream): void {
    this.#sound.listenTo(stream)
  }

  /** What came, as a connection of WebRTC would count it. TCP loses nothing. */
  counts(now: number): Counts {
    return { at: now, received: this.#frames, lost: 0, jitterMs: 0, energy: this.#energy }
  }

  close(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.close()
    this.#sound.close()
  }

  #send(frame: ArrayBuffer): void {
    const socket = this.#socket
    if (socket?.readyState === WebSocket.OPEN && socket.bufferedAmount <= maxUnsentBytes) socket.send(frame)
  }

  #play(frame: ArrayBuffer): void {
    this.#frames += 1
    this.#energy += peakOf(frame) ** 2
    this.#sound.play(frame)
  }
}
