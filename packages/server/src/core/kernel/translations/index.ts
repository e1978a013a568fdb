import { deDe } from './de-de.ts'
import { enUs, type TextKey } from './en-us.ts'

export type { TextKey } from './en-us.ts'
export type Locale = 'de_DE' | 'en_US'

const languages = new Map<string, Record<TextKey, string>>([
  ['de_DE', deDe],
  ['en_US', enUs],
])

/** All texts of a language; undefined if unsupported. */
export function translations(locale: string): Record<TextKey, string> | undefined {
  return languages.get(locale)
}

/** Fills in the placeholders of a text. Plain text: escape it for HTML. */
export function text(locale: Locale, key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const template = (locale === 'de_DE' ? deDe : enUs)[key]
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`The text ${key} needs a value for {${name}}.`)
    return String(values[name])
  })
}
