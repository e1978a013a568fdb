import type { ExpectedAnswer } from '#core/kernel/ports/speech.ts'
import { mainLanguage } from '../text-normalization/main-language.ts'
import type { EndpointingPolicy } from './turn-silence.ts'

/** Short answers that sound different from each other: longer ones are understood without help. */
const yesOrNo: Readonly<Record<string, string>> = {
  en: 'yes, no, yeah, correct, right, okay, wrong',
  de: 'ja, nein, genau, richtig, okay, stimmt, falsch',
  fr: "oui, non, d'accord, exactement, ouais",
  es: 'sí, no, claro, correcto, vale, exacto',
  it: 'sì, no, certo, esatto, va bene, giusto',
}

/** What the recogniser should know about the answer. Undefined: nothing particular is expected. */
export const expectedAnswer = (
  { expects, expectsOptions = [] }: Pick<EndpointingPolicy, 'expects' | 'expectsOptions'>,
  language: string,
): ExpectedAnswer | undefined => {
  if (expects === 'anything') return undefined
  if (expects === 'options') return { phrases: expectsOptions }
  return { phrases: expects === 'yes_no' ? (yesOrNo[mainLanguage(language)]?.split(', ') ?? []) : [] }
}
