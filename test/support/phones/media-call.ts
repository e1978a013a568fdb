import type { Scope } from '../machine/temporary-folder.ts'
import type { Media, MediaSettings, MediaStream, StreamObserver } from '#media/engine.ts'
import { availableUdp, startMedia } from '#media/control/media.ts'
import { prepareOpus } from '#media/codec/opus.ts'
import { PortPool } from '#media/socket/port-pool.ts'
import { within } from '../machine/within.ts'
import { RtpPhone, type PhoneOptions } from './rtp-phone.ts'

/** UDP implementations of this machine: outside of Linux there is one. */
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
  /** Events of the stream, such as `dtmf 1 rfc4733`. */
  events: string[]
  /** Resolves when the event occurs. */
  onEvent(event: string): Promise<void>
}

/** Records a stream's events. */
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
      await within(60_000, `never told ${event}, only ${events.join()}`, promise)
    }
    waiting = []
  }
  return { observer, events, onEvent: notifications }
}

/** Silent phone connected with a stream. */
export const call = async (t: Scope, media: Media, options: PhoneOptions = {}, near?: MediaStream): Promise<PhoneCall> => {
  const phone = await openPhone(t, options)
  const { observer, events, onEvent: notifications } = watch()
  const stream = await media.openStream(observer, { near })
  stream.configure(phone.settings())
  return { phone, stream, events, onEvent: notifications }
}
