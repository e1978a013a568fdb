import { join } from 'node:path'
import type { SpokenText } from './recorded-speech.ts'
import { readWav } from '../sound/wav.ts'

const texts = {
  'de-table': 'Guten Tag, ich möchte einen Tisch für vier Personen bestellen.',
  'de-internet': 'Das Internet funktioniert seit gestern Abend nicht mehr.',
  'de-not-right': 'Nein, das ist nicht richtig.',
  'de-goodbye': 'Vielen Dank für Ihre Hilfe, auf Wiederhören.',
}

/** Recorded output of the embedded English voice. */
export const readYes = (): Promise<SpokenText> => read('en-yes', 'Yes, please.')

/** Recorded sentences of the embedded German voice over a telephone line: 8 kHz, A-law. */
export const readGermanSpeech = (): Promise<SpokenText[]> => Promise.all(Object.entries(texts).map(([name, text]) => read(name, text)))

const read = async (name: string, text: string): Promise<SpokenText> => {
  const wav = await readWav(join(import.meta.dirname, '../../data/speech', `${name}.wav`))
  return { text, samples: Int16Array.from(wav.channels[0] ?? [], (value) => Math.round(value * 32_767)) }
}
