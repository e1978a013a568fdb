import { SpeechUnavailable, type Tts } from '#core/kernel/ports/speech.ts'
import { voiceOf } from './voice-names.ts'
import { programVoice } from './program-voice.ts'
import type { Program } from './program.ts'

const wordsPerMinute = 160
const minPace = 80
const maxPace = 450
/** Of 0 to 99; one semitone is about this much. */
const defaultPitch = 50
const pitchPerSemitone = 4

/** Names that differ from BCP 47. */
const otherNames: Record<string, string> = { zh: 'cmn', no: 'nb', tl: 'fil', iw: 'he' }

/** espeak-ng knows more than a hundred languages; it sounds like a robot in all of them. It is GPL: only ever a program beside ours. */
export const openEspeak = async (program: Program): Promise<Tts> => {
  const listing = await program.run(['--voices'], '', AbortSignal.timeout(5_000))
  const known = voicesIn(listing.toString('utf8'))
  if (known.length === 0) throw new SpeechUnavailable('espeak-ng lists no voices')
  return programVoice({
    name: 'espeak',
    speaks: (language) => voiceFor(known, language) !== undefined,
    voices: () => known.map(voiceOf),
    saySentence(text, { language, voice = '', speed = 1, pitch = 0 }, signal) {
      const requested = known.find((name) => name === voice.toLowerCase())
      const pace = Math.round(Math.min(maxPace, Math.max(minPace, wordsPerMinute * speed)))
      const height = Math.round(Math.min(99, Math.max(0, defaultPitch + pitchPerSemitone * pitch)))
      const args = ['-v', requested ?? voiceFor(known, language) ?? 'en', '-s', String(pace), '-p', String(height), '-b', '1', '-z']
      // Between two brackets it would expect phonemes.
      return program.run([...args, '--stdin', '--stdout'], text.replace(/[[\]]/g, ' '), signal)
    },
  })
}

/** ` 5  pt-br           --/M      Portuguese_(Brazil) …` */
const voicesIn = (listing: string): string[] => [...listing.matchAll(/^\s*\d+\s+(\S+)\s/gm)].map(([, name = '']) => name.toLowerCase())

/** Of a language of several accents, for who names none that is there: Belgians would say seventy and ninety in their own way. */
const defaultAccents = ['us', 'fr']
/** Where Spanish is spoken as in the Americas. */
const american = /^es-(?!es$)/

const voiceFor = (known: readonly string[], language: string): string | undefined => {
  const wanted = language.toLowerCase().replace('_', '-')
  const main = wanted.split('-')[0] ?? ''
  const name = otherNames[main] ?? main
  if (known.includes(wanted)) return wanted
  if (american.test(wanted) && known.includes('es-419')) return 'es-419'
  if (known.includes(name)) return name
  const accents = known.filter((one) => one.startsWith(`${name}-`))
  return defaultAccents.map((accent) => `${name}-${accent}`).find((one) => accents.includes(one)) ?? accents[0]
}
