import { Problem } from '@offhook/contract/problem.ts'
import { phoneSoundPath } from '@offhook/contract/v3/phone.ts'
import { talkFrameBytes } from '@offhook/contract/v3/talks.ts'
import { WebSocket } from 'ws'
import type { BrowserFarEnd } from '#core/kernel/ports/browser.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import { requireOurPage } from '../gate/our-page.ts'
import type { Upgrades } from '../gate/upgrades.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { RateLimit } from '../limits/rate-limit.ts'

const misunderstood = 1008
const over = 1000
const faultOfOurs = 1011
const connectMs = 3_000

type SoundDeps = Pick<HandlerDeps, 'phones' | 'installation' | 'wallClock'>

/** Audio over a WebSocket for pages that WebRTC cannot reach. */
export const mountPhoneSoundUpgrade = (upgrades: Upgrades, { phones, installation, wallClock: clock }: SoundDeps): void =>
  upgrades.add({
    path: phoneSoundPath('{ticket}'),
    maxBytes: talkFrameBytes,
    async enter({ request, params: { ticket = '' }, accept }) {
      requireOurPage(request, installation.publicUrl())
      const place = phones.soundOf(ticket)
      if ('farEnd' in place) {
        const client = await accept()
        void carrySound(client, place.farEnd, clock).catch(() => client.close(faultOfOurs))
        return
      }
      const service = await reach(`${place.at.replace(/^http/, 'ws')}${phoneSoundPath(ticket)}`)
      const client = await accept().catch((error: unknown) => {
        service.terminate()
        throw error
      })
      relay(client, service)
    },
  })

const carrySound = async (client: WebSocket, farEnd: BrowserFarEnd, clock: Clock): Promise<void> => {
  const rate = new RateLimit(clock, framesPerSecond)
  const soundOf = frameReader()
  const says = await farEnd.carries((samples) => sendSound(client, samples))
  client.on('message', (data, binary) => {
    try {
      rate.take('')
      if (!binary || (data as Buffer).length !== talkFrameBytes)
        return client.close(misunderstood, `only sound, ${talkFrameBytes} bytes each`)
      says(soundOf(data as Buffer))
    } catch {
      client.close(misunderstood, 'too many messages')
    }
  })
  void farEnd.leg.ended.then(() => client.close(over))
}

/** Connects to the node of the call. */
const reach = (address: string): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const service = new WebSocket(address, { handshakeTimeout: connectMs, maxPayload: talkFrameBytes, perMessageDeflate: false })
    service.once('open', () => resolve(service))
    service.on('error', () => reject(new Problem('phone_ticket_invalid')))
  })

const relay = (client: WebSocket, service: WebSocket): void => {
  for (const [from, to] of [
    [client, service],
    [service, client],
  ] as const) {
    from.on('message', (data, binary) => {
      if (keepsUp(to)) to.send(data, { binary }, ignored)
    })
    from.once('close', (code) => (code === over ? to.close(over) : to.terminate()))
  }
}

/** Audio has 50 frames per second, and arrives in a burst after bad reception. */
export const framesPerSecond = 60
/** Two seconds of audio: a client this far behind misses the next frames. */
const maxUnsentBytes = 100 * talkFrameBytes

/** Ignores send errors of closed clients. */
export const ignored = (): void => {}

const keepsUp = (client: WebSocket): boolean => client.bufferedAmount < maxUnsentBytes

export const sendSound = (client: WebSocket, samples: Int16Array): void => {
  if (keepsUp(client)) client.send(bytesOf(samples), ignored)
}

/** Copied: a WebSocket sends later, and the samples are only lent. */
const bytesOf = (samples: Int16Array): Buffer => Buffer.from(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))

/** Returns the samples of a frame, valid until the next one. */
export const frameReader = (): ((frame: Buffer) => Int16Array) => {
  const sound = new Int16Array(talkFrameBytes / 2)
  return (frame) => {
    Buffer.from(sound.buffer).set(frame)
    return sound
  }
}
