import { toneMessages } from '#adapters/speech/tones/tone-speech.ts'
import { until } from '../machine/peer-process.ts'
import type { Phone } from '../peers/baresip.ts'

/** Words of assistants in this phone's newest call, where OFFHOOK_SPEECH is `tones`. */
export const wordsHeard = async (phone: Phone): Promise<string> => {
  const sound = (await phone.heard()).at(-1)?.channels[0] ?? new Float32Array()
  const messages = toneMessages(Int16Array.from(sound, (sample) => sample * 32_767))
  return messages.map(({ text }) => text).join(' ')
}

export const hearsWords = (phone: Phone, words: string): Promise<unknown> =>
  until(`“${words}”`, async () => (await wordsHeard(phone)).includes(words) || undefined)
