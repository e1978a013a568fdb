import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'

/** Languages that Whisper knows, by its own codes. */
export const allCodes: readonly string[] = (
  'af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id is it ja jw ka kk km ' +
  'kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th ' +
  'tk tl tr tt uk ur uz vi yi yo zh'
).split(' ')

const otherNames: Record<string, string> = { nb: 'no', fil: 'tl', jv: 'jw', iw: 'he', in: 'id', ji: 'yi', cmn: 'zh' }

/** Whisper’s code for a BCP 47 tag such as de-AT. */
export const whisperCode = (language: string): string | undefined => {
  const base = mainLanguage(language)
  const code = otherNames[base] ?? base
  return allCodes.includes(code) ? code : undefined
}

/** Of recognisers; each comes in two sizes. */
export type Family = 'moonshine' | 'whisper'

export interface Hearing {
  family: Family
  /** Of which it is one; none: any. */
  codes: string[]
}

/** Moonshine knows English only, but that in a third of the time. Languages that no model knows are given to Whisper. */
export const hearingFor = (languages: readonly string[]): Hearing => {
  const codes = [...new Set(languages.flatMap((language) => whisperCode(language) ?? []))]
  const english = codes.length === 1 && codes[0] === 'en'
  return { family: english ? 'moonshine' : 'whisper', codes }
}
