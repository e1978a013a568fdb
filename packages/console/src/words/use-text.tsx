import { createContext, use, useEffect, useMemo, useState, type ReactNode } from 'react'
import { keep, kept } from '../api/kept.ts'
import { isLanguage, languageFor, type InEach, type Language } from './languages.ts'

interface LanguageChoice {
  language: Language
  choose: (language: Language) => void
}

const LanguageContext = createContext<LanguageChoice>({ language: 'en', choose: () => undefined })

const firstLanguage = (): Language => {
  const chosen = kept('language') ?? ''
  return isLanguage(chosen) ? chosen : languageFor(navigator.languages)
}

export const LanguageProvider = ({ children }: { children: ReactNode }) => {
  const [language, setLanguage] = useState(firstLanguage)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const choice = useMemo<LanguageChoice>(() => {
    const choose = (chosen: Language): void => {
      keep('language', chosen)
      setLanguage(chosen)
    }
    return { language, choose }
  }, [language])
  return <LanguageContext value={choice}>{children}</LanguageContext>
}

export const useLanguage = (): LanguageChoice => use(LanguageContext)

/** The texts of a page in the person's language. */
export const useText = <T,>(texts: InEach<T>): T => texts[useLanguage().language]
