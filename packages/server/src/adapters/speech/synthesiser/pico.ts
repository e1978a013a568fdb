import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SpeechUnavailable, type Tts } from '#core/kernel/ports/speech.ts'
import { programVoice } from './program-voice.ts'
import type { Program } from './program.ts'

const locales = ['en-US', 'en-GB', 'de-DE', 'es-ES', 'fr-FR', 'it-IT']
const speedLimits = [20, 500] as const
const pitchLimits = [50, 200] as const

/** SVOX Pico, a small voice for five languages. `folder` is for its sound: it writes files only, and only with this ending. */
export const openPico = (program: Program, folder: string): Tts => {
  let made = 0
  return programVoice({
    name: 'pico',
    speaks: (language) => localeFor(language) !== undefined,
    async saySentence(text, { language, speed = 1, pitch = 0 }, signal) {
      const file = join(folder, `${++made}.wav`)
      try {
        await program.run(['-l', localeFor(language) ?? 'en-US', '-w', file], marked(text, speed, pitch), signal)
        return await readFile(file).catch((error: unknown) => {
          throw new SpeechUnavailable('pico2wave gave no sound', { cause: error })
        })
      } finally {
        await rm(file, { force: true })
      }
    },
  })
}

const localeFor = (language: string): string | undefined => {
  const wanted = language.replace('_', '-').toLowerCase()
  return locales.find((locale) => locale.toLowerCase() === wanted) ?? locales.find((locale) => locale.slice(0, 2) === wanted.split('-')[0])
}

/** Its own marks; the text must not contain any. */
const marked = (text: string, speed: number, pitch: number): string => {
  const plain = text.replace(/[<>&]/g, ' ')
  const paced = speed === 1 ? plain : `<speed level="${percent(speed, speedLimits)}">${plain}</speed>`
  return pitch === 0 ? paced : `<pitch level="${percent(2 ** (pitch / 12), pitchLimits)}">${paced}</pitch>`
}

const percent = (times: number, [min, max]: readonly [number, number]): number =>
  Math.round(Math.min(max, Math.max(min, times * 100)))
