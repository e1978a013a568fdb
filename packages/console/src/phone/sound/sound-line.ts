import type { Counts } from '#api/phone/quality.ts'
import { ownSocket } from '../phone-socket.ts'
import { openCallSound, type CallSound } from './pcm/call-sound.ts'
import { peakOf } from './pcm/pcm.ts'

/** Bytes; with more unsent data the line is too slow, and old audio is useless. */
export const maxUnsentBytes = 64 * 1024

/** The audio of a call over a WebSocket, if WebRTC finds no path. It works wherever the page does, but waits for lost packets. */
export class SoundLine {
  readonly #sound: CallSound
  readonly #onBroken: () => void
  #socket: WebSocket | undefined
  #frames = 0
  #energy = 0
  /** Remote audio. */
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

  /** Replaces the input stream. */
  listenTo(stream: MediaStream): void {
    this.#sound.listenTo(stream)
  }

  /** Received audio, counted as in WebRTC statistics. TCP loses nothing. */
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
