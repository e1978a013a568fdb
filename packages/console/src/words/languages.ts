export const languages = ['en', 'de'] as const

export type Language = (typeof languages)[number]

export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }

/** One value per language. */
export type InEach<T> = Readonly<Record<Language, T>>

/** Texts of a page. The other languages must have all English texts, or it does not compile. */
export const words = <T extends object>(all: { en: T; de: NoInfer<T> }): InEach<T> => all

/** The first supported one of the wanted languages. */
export const languageFor = (wanted: readonly string[]): Language =>
  wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en'

export const isLanguage = (word: string): word is Language => (languages as readonly string[]).includes(word)
