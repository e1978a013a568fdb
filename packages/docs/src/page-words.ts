export type Language = 'en' | 'de'

interface PageWords {
  documentation: string
  search: string
  toContent: string
  contents: string
  onThisPage: string
  guides: string
  previous: string
  next: string
  source: string
  console: string
  home: string
  otherLanguage: string
  appearance: string
  copy: string
  copied: string
  results: string
  nothing: string
  tableOf: string
  code: string
}

/** Labels around the text of a page. */
export const pageWords: Readonly<Record<Language, PageWords>> = {
  en: {
    documentation: 'Documentation',
    search: 'Search',
    toContent: 'Skip to content',
    contents: 'Contents',
    onThisPage: 'On this page',
    guides: 'Guides',
    previous: 'Previous',
    next: 'Next',
    source: 'This page as Markdown',
    console: 'Console',
    home: 'Offhook documentation',
    otherLanguage: 'Deutsch',
    appearance: 'Light or dark',
    copy: 'Copy',
    copied: 'Copied',
    results: 'results',
    nothing: 'Nothing found',
    tableOf: 'Table',
    code: 'Code',
  },
  de: {
    documentation: 'Dokumentation',
    search: 'Suchen',
    toContent: 'Zum Inhalt springen',
    contents: 'Inhalt',
    onThisPage: 'Auf dieser Seite',
    guides: 'Anleitungen',
    previous: 'Zurück',
    next: 'Weiter',
    source: 'Diese Seite als Markdown',
    console: 'Konsole',
    home: 'Dokumentation von Offhook',
    otherLanguage: 'English',
    appearance: 'Hell oder dunkel',
    copy: 'Kopieren',
    copied: 'Kopiert',
    results: 'Treffer',
    nothing: 'Nichts gefunden',
    tableOf: 'Tabelle',
    code: 'Code',
  },
}
