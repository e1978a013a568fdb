import type { Scope } from '../machine/temporary-folder.ts'
import type { Media, MediaSettings, MediaStream, StreamObserver } from '#media/engine.ts'
import { availableUdp, startMedia } from '#media/control/media.ts'
import { prepareOpus } from '#media/codec/opus.ts'
import { PortPool } from '#media/socket/port-pool.ts'
import { within } from '../machine/within.ts'
import { RtpPhone, type PhoneOptions } from './rtp-phone.ts'

/** Every way in which audio can leave this machine: outside of Linux there is one. */
export const udpKinds = [...new Set([availableUdp(), 'dgram'] as const)]

export const startTestMedia = (t: Scope, settings: Partial<MediaSettings> = {}): Media => {
  const media = startMedia({ address: '127.0.0.1', ports: new PortPool({ first: 20_000, last: 29_999 }), ...settings })
  t.after(() => media.close())
  return media
}

export const openPhone = async (t: Scope, options: PhoneOptions = {}): Promise<RtpPhone> => {
  if (options.codec === 'opus') await prepareOpus()
  const phone = await RtpPhone.open(options)
  t.after(() => phone.close())
  return phone
}

export interface PhoneCall {
  phone: RtpPhone
  stream: MediaStream
  /** Everything the stream told, such as `dtmf 1 rfc4733`. */
  events: string[]
  /** Resolves when it is told. */
  onEvent(event: string): Promise<void>
}

/** Watches what a stream tells. */
export const watch = () => {
  const events: string[] = []
  let waiting: (() => void)[] = []
  const note = (event: string): void => {
    events.push(event)
    for (const look of waiting.splice(0)) look()
  }
  const observer: StreamObserver = {
    dtmf: (digit, source) => note(`dtmf ${digit} ${source}`),
    heard: () => note('heard'),
    silent: () => note('silent'),
    lost: () => note('lost'),
  }
  const notifications = async (event: string): Promise<void> => {
    while (!events.includes(event)) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push(resolve)
      await within(30_000, `never told ${event}, only ${events.join()}`, promise)
    }
    waiting = []
  }
  return { observer, events, onEvent: notifications }
}

/** A phone that is connected with a stream; it says nothing yet. */
export const call = async (t: Scope, media: Media, options: PhoneOptions = {}, near?: MediaStream): Promise<PhoneCall> => {
  const phone = await openPhone(t, options)
  const { observer, events, onEvent: notifications } = watch()
  const stream = await media.openStream(observer, near)
  stream.configure(phone.settings())
  return { phone, stream, events, onEvent: notifications }
}
