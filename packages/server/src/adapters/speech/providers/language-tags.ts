/** `de` of `de-DE`. */
export const languageOf = (tag: string): string => tag.toLowerCase().split(/[-_]/)[0] ?? ''

const usualRegions: Record<string, string> = {
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
  const language = languageOf(tag)
  const region = /^[a-z]{2,3}[-_]([a-z]{2})$/i.exec(tag)?.[1] ?? usualRegions[language] ?? language
  return `${language}-${region.toUpperCase()}`
}
