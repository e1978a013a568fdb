import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { readWav } from '../sound/wav.ts'

/** Text spoken by a person, with its sound at 8 kHz. */
export interface SpokenText {
  text: string
  samples: Int16Array
}

const folder = '/usr/share/asterisk/sounds/en_US_f_Allison'
/** File that shows whether the recordings are installed. */
export const recordedSpeech = `${folder}/vm-goodbye.wav`
export const recordedWords = '/usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz'

/** Whole sentences, without keys that have several names and without words that are not used in speech. */
const names = `
  agent-alreadyon agent-incorrect agent-pass cannot-complete-as-dialed check-number-dial-again conf-getpin
  conf-invalidpin conf-kicked conf-noempty conf-now-recording conf-onlyone conf-onlyperson conf-placeintoconf
  conf-waitforleader confbridge-lock-no-join confbridge-removed dir-nomatch dir-nomore feature-not-avail-line
  followme/pls-hold-while-try followme/sorry invalid pbx-invalidpark pls-hold-while-try pm-invalid-option
  privacy-incorrect privacy-prompt queue-youarenext ss-noservice transfer vm-dialout vm-enter-num-to-call
  vm-invalidpassword vm-mismatch vm-msgforwarded vm-newpassword vm-nobodyavail vm-savefolder vm-sorry
`
  .trim()
  .split(/\s+/)

/** A woman reading announcements of a telephone system (Debian: asterisk-core-sounds-en-wav, CC-BY-SA). */
export const readRecordedSpeech = (): Promise<SpokenText[]> => readRecordings(names)

/** Three goodbyes by the same speaker. */
export const readGoodbyes = (): Promise<SpokenText[]> => readRecordings(['goodbye', 'vm-goodbye', 'demo-thanks'])

const readRecordings = async (wanted: readonly string[]): Promise<SpokenText[]> => {
  const lines = (await promisify(gunzip)(await readFile(recordedWords))).toString('utf8').split('\n')
  const textOf = new Map(lines.map((line) => line.split(/: (.*)/) as [string, string]))
  return Promise.all(wanted.map(async (name) => ({ text: textOf.get(name) ?? '', samples: await samplesOf(`${folder}/${name}.wav`) })))
}

/** One recording by name; also those that are not whole sentences. */
export const readRecording = async (name: string): Promise<SpokenText> => ({
  text: name,
  samples: await samplesOf(`${folder}/${name}.wav`),
})
/** The same without surrounding silence. */
export const readPrompt = async (name: string): Promise<Int16Array> => {
  const { samples } = await readRecording(name)
  const isLoud = (value: number): boolean => Math.abs(value) > audible
  return samples.subarray(Math.max(0, samples.findIndex(isLoud) - 80), samples.findLastIndex(isLoud) + 80)
}
const audible = 300

/** A woman from Canada (Debian: asterisk-core-sounds-fr-wav, CC-BY-SA). */
export const recordedFrench = '/usr/share/asterisk/sounds/fr_CA_f_June/conf-onlyone.wav'

export const readFrenchSentence = async (): Promise<SpokenText> => ({
  text: "Il n'y a qu'un seul participant dans cette conférence.",
  samples: await samplesOf(recordedFrench),
})

const samplesOf = async (file: string): Promise<Int16Array> =>
  Int16Array.from((await readWav(file)).channels[0] ?? [], (value) => Math.round(value * 32_767))

/** Concatenates recordings, with silence before, between and after them. */
export const withPauses = (spoken: readonly SpokenText[], { before, between }: { before: number; between: number }): Int16Array => {
  const rate = 8_000
  const pause = (seconds: number): Int16Array => new Int16Array(Math.round(seconds * rate))
  const parts = [pause(before), ...spoken.flatMap(({ samples }) => [samples, pause(between)])]
  const all = new Int16Array(parts.reduce((length, part) => length + part.length, 0))
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0)
  return all
}
