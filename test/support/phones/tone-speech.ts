import assert from 'node:assert/strict'
import { toneMessages, toneSound } from '#adapters/speech/tones/tone-speech.ts'
import type { AssistantEndpoint } from '../peers/assistant-endpoint.ts'
import type { SipPhone } from './sip-phone.ts'

/** Speaks in tones, which the service understands when OFFHOOK_SPEECH is `tones`. */
export const saysInTones = ({ rtp }: SipPhone, text: string): void => saysSamples(rtp, toneSound(text))

/** Plays samples at 8 kHz. */
export const saysSamples = (rtp: SipPhone['rtp'], sound: Int16Array): void => {
  let at = 0
  rtp.sendInstead(() => {
    if (at >= sound.length) return undefined
    const frame = new Int16Array(160)
    frame.set(sound.subarray(at, (at += 160)))
    const bytes = new Uint8Array(160)
    rtp.codec.encode(frame, bytes, 0)
    return { payloadType: 8, bytes }
  })
}

/** Repeats an utterance that a busy machine damaged, as people do. Returns the text that arrived. */
export const isUnderstood = async (phone: SipPhone, endpoint: AssistantEndpoint, text: string) => {
  const before = endpoint.ofType('user_speak').length
  for (let tries = 1; tries <= 5; tries++) {
    saysInTones(phone, text)
    await endpoint.received('user_speak', before + tries, 10_000).catch(() => undefined)
    const heard = endpoint.ofType('user_speak').slice(before)
    if (heard.at(-1)?.text === text) return heard
  }
  return assert.fail(`“${text}” was not recognised`)
}

export const hearsInTones = ({ rtp }: SipPhone, text: string): Promise<void> => {
  const texts = (): string[] => toneMessages(rtp.recent(10_000)).map((message) => message.text)
  let packets = 0
  return rtp.until(() => packets++ % 10 === 0 && texts().some((heard) => heard.includes(text)), `“${text}”`)
}
