import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'

const defaultRegions: Record<string, string> = {
  en: 'US',
  de: 'DE',
  cs: 'CZ',
  da: 'DK',
  el: 'GR',
  ja: 'JP',
  ko: 'KR',
  sv: 'SE',
  uk: 'UA',
  zh: 'CN',
}

/** `de-DE` also for `de` or `de_de`. */
export const localeOf = (tag: string): string => {
  const language = mainLanguage(tag)
  const region = /^[a-z]{2,3}[-_]([a-z]{2})$/i.exec(tag)?.[1] ?? defaultRegions[language] ?? language
  return `${language}-${region.toUpperCase()}`
}
