import { toneMessages } from '#adapters/speech/tones/tone-sound.ts'
import { until } from '../machine/peer-process.ts'
import type { Phone } from '../peers/baresip.ts'

/** What assistants said to this phone in its newest call, where OFFHOOK_SPEECH is `tones`. */
export const wordsHeard = async (phone: Phone): Promise<string> => {
  const sound = (await phone.heard()).at(-1)?.channels[0] ?? new Float32Array()
  const messages = toneMessages(Int16Array.from(sound, (sample) => sample * 32_767))
  return messages.map(({ text }) => text).join(' ')
}

export const hearsWords = (phone: Phone, words: string): Promise<unknown> =>
  until(`“${words}”`, async () => (await wordsHeard(phone)).includes(words) || undefined, 30_000)
