import type { CodecName } from '#media/engine.ts'
import type { Payload } from '@offhook/sip/sdp/sdp.ts'

/** How codecs are named in SDP; numbers above 95 are ours to choose. G.722 says 8000 for historical reasons (RFC 3551 §4.5.2). */
const codecs: Record<CodecName, Payload> = {
  PCMU: { type: 0, encoding: 'PCMU', clockRate: 8000, channels: 1, fmtp: undefined },
  PCMA: { type: 8, encoding: 'PCMA', clockRate: 8000, channels: 1, fmtp: undefined },
  G722: { type: 9, encoding: 'G722', clockRate: 8000, channels: 1, fmtp: undefined },
  opus: { type: 111, encoding: 'opus', clockRate: 48_000, channels: 2, fmtp: 'useinbandfec=1' },
}

const event = (type: number, clockRate: number): Payload => ({ type, encoding: 'telephone-event', clockRate, channels: 1, fmtp: '0-15' })
const events = [event(101, 8000), event(110, 48_000)]

/** Everything that we can speak, best first, with the keys (RFC 4733) that go with it. */
export const offeredPayloads = (names: readonly CodecName[]): Payload[] => {
  const spoken = names.map((name) => codecs[name])
  return [...spoken, ...events.filter(({ clockRate }) => spoken.some((codec) => codec.clockRate === clockRate))]
}

/** The codecs alone, without telephone-events. */
export const barePayloads = (names: readonly CodecName[]): Payload[] => names.map((name) => codecs[name])

export interface ChosenCodec {
  name: CodecName
  payload: Payload
  /** The keys at the same clock rate. */
  keys: Payload | undefined
}

/** The first of theirs that is one of ours. */
export const chooseCodec = (theirs: readonly Payload[], ours: readonly CodecName[]): ChosenCodec | undefined => {
  for (const payload of theirs) {
    const name = ours.find((one) => isSame(codecs[one], payload))
    if (name) return { name, payload, keys: theirs.find((other) => isKeys(other) && other.clockRate === payload.clockRate) }
  }
  return undefined
}

/** What phones are offered, best first. */
export const deviceCodecs: readonly CodecName[] = ['opus', 'G722', 'PCMA', 'PCMU']

const isKeys = ({ encoding }: Payload): boolean => encoding.toLowerCase() === 'telephone-event'

const isSame = (one: Payload, other: Payload): boolean =>
  one.encoding.toLowerCase() === other.encoding.toLowerCase() && one.clockRate === other.clockRate && one.channels === other.channels

/** As it goes into our description: their numbers, our parameters. */
export const agreedPayloads = ({ name, payload, keys }: ChosenCodec): Payload[] => {
  const ours = [{ ...codecs[name], type: payload.type }]
  return keys ? [...ours, { ...event(keys.type, keys.clockRate) }] : ours
}

/** Everything again, where what was agreed keeps the numbers that it has (RFC 3264 §8.3.2). */
export const renewedPayloads = (chosen: ChosenCodec, names: readonly CodecName[]): Payload[] => {
  const agreed = agreedPayloads(chosen)
  const all = offeredPayloads(names).map((payload) => agreed.find((one) => isSame(one, payload)) ?? payload)
  return all.filter((payload) => agreed.includes(payload) || !agreed.some(({ type }) => type === payload.type))
}
