import { talkFrameBytes } from '@offhook/contract/v3/talks.ts'
import type { WebSocket } from 'ws'

/** Audio comes in 50 frames a second, and after a moment of bad reception in a burst. */
export const framesPerSecond = 60
/** Two seconds of audio: who is this far behind misses the next frames. */
const maxUnsentBytes = 100 * talkFrameBytes

/** Nothing is sent to who is gone. */
export const ignored = (): void => {}

export const keepsUp = (client: WebSocket): boolean => client.bufferedAmount < maxUnsentBytes

export const sendSound = (client: WebSocket, samples: Int16Array): void => {
  if (keepsUp(client)) client.send(bytesOf(samples), ignored)
}

/** Copied: a WebSocket sends later, and the samples are only lent. */
const bytesOf = (samples: Int16Array): Buffer => Buffer.from(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))

/** Gives the samples of frames, which are lent until the next one. */
export const frameReader = (): ((frame: Buffer) => Int16Array) => {
  const sound = new Int16Array(talkFrameBytes / 2)
  return (frame) => {
    Buffer.from(sound.buffer).set(frame)
    return sound
  }
}
