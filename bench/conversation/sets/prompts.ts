import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { demand } from './packages.ts'
import { half, type Half, type Recording } from './recording.ts'
import { readSound } from './sound-file.ts'

/** People reading announcements of a telephone system (Debian: asterisk-core-sounds-…, CC-BY-SA). */
export const promptLanguages = {
  en: 'en_US_f_Allison',
  es: 'es_MX_f_Allison',
  fr: 'fr_CA_f_June',
  it: 'it_IT_m_Carlo',
  ru: 'ru_RU_f_IvrvoiceRU',
} as const
export type PromptLanguage = keyof typeof promptLanguages

export interface Prompt {
  name: string
  text: string
}

/** Parses the transcript file; skips marks that are not speech ([, <, * and #), silence, spelled letters and repeated texts. */
export const promptsIn = (transcript: string, exists: (name: string) => boolean): Prompt[] => {
  const seen = new Set<string>()
  return transcript.split('\n').flatMap((line) => {
    const [, name = '', text = ''] = /^([^;:\s][^:]*): (.*)/.exec(line) ?? []
    const key = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} ]/gu, '')
      .trim()
    if (key === '' || /[[<*#]/.test(text) || /^(letters|silence)\//.test(name) || seen.has(key) || !exists(name)) return []
    seen.add(key)
    return [{ name, text: text.trim() }]
  })
}

const folderOf = (language: PromptLanguage): string => `/usr/share/asterisk/sounds/${promptLanguages[language]}`

/** All prompts in the order of their transcript. */
export const listPrompts = async (language: PromptLanguage): Promise<Prompt[]> => {
  const [list, folder] = [`asterisk-core-sounds-${language}`, folderOf(language)]
  const transcript = `/usr/share/doc/${list}/core-sounds-${language}.txt.gz`
  demand({ file: transcript, package: list }, { file: folder, package: `${list}-wav` })
  const text = (await promisify(gunzip)(await readFile(transcript))).toString('utf8').replace(/^\uFEFF/, '')
  return promptsIn(text, (name) => existsSync(`${folder}/${name}.wav`))
}

export const readPrompt = async (language: PromptLanguage, { name, text }: Prompt): Promise<Recording> => ({
  name,
  text,
  language,
  samples: await readSound(`${folderOf(language)}/${name}.wav`),
})

export const readPrompts = async (language: PromptLanguage, which: Half): Promise<Recording[]> =>
  Promise.all(half(await listPrompts(language), which).map((prompt) => readPrompt(language, prompt)))

/** Sample for the other languages: every fourth prompt, so that a recogniser with five times the cost can process it. */
export const readSample = async (language: PromptLanguage, which: Half): Promise<Recording[]> =>
  Promise.all(half(half(await listPrompts(language), which), 'development').map((prompt) => readPrompt(language, prompt)))
