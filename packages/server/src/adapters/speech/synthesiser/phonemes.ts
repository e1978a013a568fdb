import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { VoiceLanguage } from './voice-languages.ts'

export interface Phonemes {
  phones: string[]
  tones: number[]
}

export type ToPhonemes = (text: string, options: { symbolSet: ReadonlySet<string> }) => Phonemes

interface PhonemeJob {
  prepare(options: { assetBase: string }): Promise<void>
}

/** Each model comes with the rules it was trained with, as a script beside it: others, even better ones, would sound worse. */
export const loadPhonemes = async (folder: string, language: VoiceLanguage): Promise<ToPhonemes> => {
  const script = (await import(pathToFileURL(join(folder, 'src', `g2p_${language}.js`)).href)) as Record<string, unknown>
  const toPhonemes = script[`graphemeToPhoneme${language.toUpperCase()}`] as ToPhonemes & Partial<PhonemeJob>
  if (toPhonemes.prepare) await fetchingFiles(() => toPhonemes.prepare?.({ assetBase: `${folder}/` }))
  return toPhonemes
}

/** The scripts were made for browsers and get their dictionary by `fetch`, which opens no files. */
const fetchingFiles = async (load: () => Promise<void> | undefined): Promise<void> => {
  const { fetch } = globalThis
  globalThis.fetch = async (file) => new Response(await readFile(file as string))
  try {
    await load()
  } finally {
    globalThis.fetch = fetch
  }
}
